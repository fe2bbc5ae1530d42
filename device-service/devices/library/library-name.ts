import { ApiError } from '../../../kit/errors/api-error.js';

/** The pattern of the names of a library's apps. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** What an app of the library is named by, wherever an app of the catalogue may be named too. No identifier of the catalogue begins so. */
const PREFIX = 'my/';

/** Throws bad_request unless the name is one that an app of a library may have. */
export function assertLibraryName(name: string): void {
  if (NAME.test(name)) return;
  throw new ApiError(
    'bad_request',
    `name: "${name.slice(0, 100)}" is not 1 to 64 of a-z, 0-9, ".", "_" and "-", beginning with a letter or a digit.`,
  );
}

/** Returns the name of the library's app that a caller means by `app`; undefined when it is an app of the catalogue. */
export function libraryNameIn(app: string): string | undefined {
  return app.startsWith(PREFIX) ? app.slice(PREFIX.length) : undefined;
}

/** Returns how callers name an app of the library. */
export function asNamed(name: string): string {
  return `${PREFIX}${name}`;
}
