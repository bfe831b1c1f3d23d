// A full pass, with the whole vocabulary, for every cloze: what a program without a planner does, in batches of clozes of
// similar length. A batch of 1 is cloze by cloze.
//   node cloze_onnx.mjs MODEL_DIR [BATCH] [THREADS] < the ids of a masked sentence a line
import * as ort from 'onnxruntime-node';
import fs from 'fs';
const [dir, batch = '16', threads = '2'] = process.argv.slice(2);
const items = fs.readFileSync(0, 'utf8').trim().split('\n').map(line => line.trim().split(/\s+/).map(BigInt));
items.sort((a, b) => a.length - b.length);
const session = await ort.InferenceSession.create(dir + '/model.onnx', { intraOpNumThreads: +threads, interOpNumThreads: 1 });
const ask = chunk => {
  const t = Math.max(...chunk.map(x => x.length)), b = chunk.length;
  const ids = new BigInt64Array(b * t), mask = new BigInt64Array(b * t);
  chunk.forEach((x, i) => x.forEach((id, j) => { ids[i * t + j] = id; mask[i * t + j] = 1n; }));
  return session.run({ input_ids: new ort.Tensor('int64', ids, [b, t]), attention_mask: new ort.Tensor('int64', mask, [b, t]) });
};
await ask(items.slice(0, +batch));
const start = performance.now();
for (let i = 0; i < items.length; i += +batch) await ask(items.slice(i, i + +batch));
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ batch: +batch, items: items.length, seconds: +seconds.toFixed(2), items_per_second: +(items.length / seconds).toFixed(2) }));
