import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Makes the browser load the typeface together with the scripts, and not when the first text is laid out. */
const preloadTypeface = {
  name: 'preload-typeface',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((file) => /geist-latin-wght-normal-[\w-]+\.woff2$/.test(file))
        .map((file) => ({
          injectTo: 'head',
          tag: 'link',
          attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: '' },
        })),
  },
};

// `npx vite panel` serves the sources for development, over a service that runs on PANEL_API (without /v1).
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadTypeface],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would need `data:` in the policy of scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The limit is in kB, not compressed. The chunk has React, Mantine and the code that every page needs.
    chunkSizeWarningLimit: 600,
  },
  server: {
    proxy: { '/v1': { target: process.env.PANEL_API ?? 'http://127.0.0.1:8080', changeOrigin: true, ws: true } },
  },
});
