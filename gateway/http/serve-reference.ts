import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Middleware, State } from '../context.js';
import { fillSlots, type SlotTexts } from '../slots.js';
import { openBuiltFolder } from './built-folder.js';

/** The folder into which the build writes the documentation. It is beside the sources, and not in the dist/ of the compiled code. */
const BUILT = fileURLToPath(new URL('../../../reference/dist/', import.meta.url));

/** The sources that a page may load from: its own files, the API of this host, and pictures that its script makes of responses. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Creates the router of the public documentation: `/openapi-v1.yaml`, and the pages below `/docs/`. The build makes their files. The
 * slots in the files are filled with `texts`, which depend on the settings of this installation.
 */
export function createReference(texts: SlotTexts): Router<State> {
  const fileAt = openBuiltFolder({
    path: BUILT,
    title: 'documentation',
    command: 'npm run reference',
    immutable: '/docs/assets/',
    last: '/openapi-v1.yaml',
    policy: POLICY,
    fill: (text) => fillSlots(text, texts),
  });
  /** Responds with the file of a path. Redirects to a page when its path lacks only the last slash. */
  const send: Middleware = async (ctx, next) => {
    const { path } = ctx;
    const file = await fileAt(path);
    if (file !== undefined) {
      await file(ctx, next);
      return;
    }
    const moved = `${path}/`;
    if ((await fileAt(moved)) === undefined) {
      throw new ApiError('not_found', 'There is no such page. The documentation begins at /docs/.');
    }
    ctx.status = 301;
    ctx.redirect(moved);
  };
  const router = new Router<State>({ strict: true, sensitive: true });
  router.get('/openapi-v1.yaml', send);
  router.get(/^\/docs(?:\/.*)?$/, send);
  return router;
}
