export { isDemoOver, removeDemo } from './remove-demo.ts';
export { type DemoSeed, type Seeded, seed } from './seed.ts';
