import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// `npx vite panel` serves the sources to work on them, over a service that runs on PANEL_API (without /v1).
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would need data: in the policy of scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // In kB, not compressed: React, Mantine and the code that every page needs.
    chunkSizeWarningLimit: 600,
  },
  server: {
    proxy: { '/v1': { target: process.env.PANEL_API ?? 'http://127.0.0.1:8080', changeOrigin: true, ws: true } },
  },
});
