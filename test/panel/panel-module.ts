import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const SOURCES = fileURLToPath(new URL('../../../panel/src/', import.meta.url));

/**
 * Loads modules of the panel's sources that use nothing of a browser, such as `api/error-words.ts`. Code that they share is loaded once.
 */
export async function panelModules<T extends readonly object[]>(...paths: { [K in keyof T]: string }): Promise<T> {
  const server = await createServer({
    configFile: false,
    root: SOURCES,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const modules: object[] = [];
    for (const path of paths) modules.push(await server.ssrLoadModule(SOURCES + path));
    return modules as unknown as T;
  } finally {
    await server.close();
  }
}
