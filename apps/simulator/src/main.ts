import { dialectIds, modelNamed, namedIds } from './models/models.ts';
import { type ListedModel, startSimulator } from './simulator.ts';

// SIMULATOR_MODELS="sim-native,gpt-oss-20b=sim-native" lists these instead of all.
const listed = process.env.SIMULATOR_MODELS?.split(',')
  .filter((entry) => entry !== '')
  .map((entry): ListedModel => {
    const [id = '', as] = entry.split('=');
    return as === undefined ? id : { id, as };
  });

const simulator = await startSimulator({
  port: Number(process.env.SIMULATOR_PORT ?? 4100),
  host: process.env.SIMULATOR_HOST ?? '127.0.0.1',
  ...(process.env.SIMULATOR_SEED !== undefined && { seed: process.env.SIMULATOR_SEED }),
  ...(listed !== undefined && { models: listed }),
});

const rows =
  listed?.map((each) => (typeof each === 'string' ? { id: each, as: each } : each)) ??
  namedIds.map((id) => ({ id, as: id }));
const width = Math.max(...rows.map(({ id }) => id.length));
console.log(`Callsmith's simulator is listening on ${simulator.url}/v1. Its models:\n`);
for (const { id, as } of rows) console.log(`  ${id.padEnd(width)}  ${modelNamed(as)?.about ?? 'no such model'}`);
if (listed === undefined) {
  console.log(
    `\nand sim-<dialect>, which refuses tools and writes calls in that dialect if its prompt describes them:\n`,
  );
  console.log(wrap(dialectIds.map((id) => id.slice('sim-'.length)).join(', ')));
}
console.log(`
Try:
  curl ${simulator.url}/v1/chat/completions -H 'content-type: application/json' -d '{"model":"${rows[0]?.id}","messages":[{"role":"user","content":"Hello"}]}'
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void simulator.close().then(() => process.exit(0));
  });
}

function wrap(text: string): string {
  return text.replace(/(.{1,96})(?: |$)/g, '  $1\n').trimEnd();
}
