import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

// `vite` alone serves the dashboard against a gateway that runs already (GATEWAY, default http://127.0.0.1:4000).
const gateway = process.env.GATEWAY ?? 'http://127.0.0.1:4000';

export default defineConfig({
  plugins: [react(), precompress()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  server: { host: '127.0.0.1', proxy: { '/api': gateway } },
  // The gateway's CSP forbids data: URLs, so nothing is inlined.
  build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0, target: 'es2022' },
});
