import { defineConfig } from 'vite';

// One bundle of this project's code; packages from node_modules stay external.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { target: 'node', noExternal: [/^@callsmith\//], resolve: { conditions: ['source'] } },
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node20',
    sourcemap: true,
    minify: false,
    rolldownOptions: { output: { entryFileNames: '[name].js' } },
  },
});
