// Masks the locus of every pair and asks ONNX Runtime, without looking for equal contexts.
//   node masked_onnx.mjs MODEL_DIR N_PAIRS [BATCH] [THREADS] < list of gevalm output files
import * as ort from 'onnxruntime-node';
import fs from 'fs';
const [dir, n, batch = '32', threads = '2'] = process.argv.slice(2);
const vocab = new Map(fs.readFileSync(dir + '/vocab.txt', 'utf8').split('\n').map((w, i) => [w, i]));
const all = [];
for (const f of fs.readFileSync(0, 'utf8').trim().split('\n'))
  for (const line of fs.readFileSync(f, 'utf8').trim().split('\n')) {
    const [[good], [bad]] = JSON.parse(line).tokenized;
    const at = good.findIndex((t, i) => t !== bad[i]);
    all.push(good.map((t, i) => vocab.get(i === at ? '[MASK]' : t)));
  }
// A sample from all over the data, sorted by length so that little is padded.
const step = Math.max(1, Math.floor(all.length / +n));
const items = all.filter((_, i) => i % step === 0).slice(0, +n).sort((a, b) => a.length - b.length);
const session = await ort.InferenceSession.create(dir + '/model.onnx', { intraOpNumThreads: +threads, interOpNumThreads: 1 });
const ask = async chunk => {
  const t = Math.max(...chunk.map(x => x.length)), b = chunk.length;
  const ids = new BigInt64Array(b * t), mask = new BigInt64Array(b * t);
  chunk.forEach((x, i) => x.forEach((id, j) => { ids[i * t + j] = BigInt(id); mask[i * t + j] = 1n; }));
  await session.run({ input_ids: new ort.Tensor('int64', ids, [b, t]), attention_mask: new ort.Tensor('int64', mask, [b, t]) });
};
await ask(items.slice(0, +batch));
const start = performance.now();
for (let i = 0; i < items.length; i += +batch) await ask(items.slice(i, i + +batch));
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ batch: +batch, pairs: items.length, seconds: +seconds.toFixed(2), pairs_per_second: +(items.length / seconds).toFixed(2) }));
