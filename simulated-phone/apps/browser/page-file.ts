import { parseUrl } from '../../../kit/text/parse-url.js';
import type { PhoneFiles } from '../../system/system.js';

/** The folders whose files a browser may show, as on phones whose shared storage it can read. */
const SHARED = /^\/(?:sdcard|storage\/emulated\/0)\//;

/** The error for a file that is not in the shared storage. */
class FileNotShared extends Error {
  override name = 'FileNotShared';
  readonly code = 'EACCES';
}

export function isFileUrl(url: string): boolean {
  return parseUrl(url)?.protocol === 'file:';
}

/** Reads a page from the shared storage of the phone, at most `maxBytes` of it. Other files are refused, as by browsers. */
export async function readPageFile(
  files: PhoneFiles,
  url: string,
  maxBytes: number,
): Promise<{ text: string; type: string }> {
  const path = pathOf(url);
  if (path === undefined || !SHARED.test(path)) throw new FileNotShared(`${url} is not in the shared storage`);
  const bytes = await files.read(path);
  const type = /\.html?$/i.test(path) ? 'text/html' : 'text/plain';
  return { text: bytes.subarray(0, maxBytes).toString('utf8'), type };
}

/** Returns the path of a file's address, without `..`; undefined where it is not written in UTF-8. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(url).pathname);
    return path.split('/').includes('..') ? undefined : path;
  } catch {
    // The address has a percent sign that begins no character.
    return undefined;
  }
}
