import { defineConfig } from 'vite';

// One bundle of our own code; packages from node_modules stay outside it.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { target: 'node', noExternal: [/^@callsmith\//], resolve: { conditions: ['source'] } },
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node20',
    sourcemap: true,
    minify: false,
    rolldownOptions: { input: ['src/main.ts', 'src/command.ts'], output: { entryFileNames: '[name].js' } },
  },
});
