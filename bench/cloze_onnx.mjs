// One full pass, with the whole vocabulary, per cloze: what a program without a planner does.
//   node cloze_onnx.mjs MODEL_DIR [THREADS] < the ids of a masked sentence a line
import * as ort from 'onnxruntime-node';
import fs from 'fs';
const [dir, threads = '2'] = process.argv.slice(2);
const items = fs.readFileSync(0, 'utf8').trim().split('\n').map(line => line.trim().split(/\s+/).map(BigInt));
const session = await ort.InferenceSession.create(dir + '/model.onnx', { intraOpNumThreads: +threads, interOpNumThreads: 1 });
const ask = ids => session.run({
  input_ids: new ort.Tensor('int64', BigInt64Array.from(ids), [1, ids.length]),
  attention_mask: new ort.Tensor('int64', BigInt64Array.from(ids, () => 1n), [1, ids.length]),
});
await ask(items[0]);
const start = performance.now();
for (const ids of items) await ask(ids);
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ items: items.length, seconds: +seconds.toFixed(2), items_per_second: +(items.length / seconds).toFixed(2) }));
