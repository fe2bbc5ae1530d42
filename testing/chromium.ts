import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-stream';

/** Debian's browsers. The one without windows needs a fifth less processor time in these tests. */
const DEBIANS = ['chromium-headless-shell', 'chromium'];

export const NEEDS_BROWSER =
  'needs a browser (Debian package chromium-headless-shell, or CHROMIUM); the one of npm is for Linux on x64';

/** How a browser is launched: options of Playwright. */
export interface BrowserProgram {
  executablePath: string;
  env?: Record<string, string>;
}

/** Whether there is a browser to test pages in. */
export function hasBrowser(): boolean {
  return installed() !== undefined || packed() !== undefined;
}

/**
 * Returns the browser that pages are tested in: that of CHROMIUM, else one of Debian's on the PATH, else the one in a package of npm. The
 * last one needs no system package.
 */
export async function browserProgram(): Promise<BrowserProgram> {
  const executablePath = installed();
  if (executablePath !== undefined) return { executablePath };
  const files = packed();
  if (files === undefined) throw new Error(NEEDS_BROWSER);
  const folder = await unpacked(files);
  const environment = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...Object.fromEntries(environment),
      LD_LIBRARY_PATH: join(folder, 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

function installed(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = DEBIANS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return process.env['CHROMIUM'] ?? paths.find((path) => existsSync(path));
}

/** Returns the folder with the browser of npm's package. Undefined where that browser cannot run, or the package is not installed. */
function packed(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../../bin');
  } catch {
    // The packages for development were not installed.
    return undefined;
  }
}

/**
 * Unpacks the package's files, 200 MB, beside their folder, unless that was done before. The package's own code is not used: it unpacks
 * into the temporary files, and expects fonts and libraries in the places of a cloud function.
 */
async function unpacked(files: string): Promise<string> {
  const folder = join(files, '../unpacked');
  if (existsSync(folder)) return folder;
  const partial = await mkdtemp(`${folder}-`);
  try {
    await pipeline(
      createReadStream(join(files, 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(join(partial, 'chromium'), { mode: 0o755 }),
    );
    await unpackTar(join(files, 'al2023.tar.br'), partial);
    await unpackTar(join(files, 'fonts.tar.br'), partial);
    const places = `<dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'cache')}</cachedir>`;
    await writeFile(join(partial, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${places}</fontconfig>\n`);
    // Another process may have been first.
    await rename(partial, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function unpackTar(file: string, folder: string): Promise<void> {
  const entries = extract();
  const read = pipeline(createReadStream(file), createBrotliDecompress(), entries);
  // A failure is thrown by the loop over the entries, or where `read` is awaited.
  read.catch(() => undefined);
  for await (const entry of entries) {
    const { name, type } = entry.header;
    const to = join(folder, name);
    await mkdir(type === 'directory' ? to : dirname(to), { recursive: true });
    if (type === 'file') await pipeline(entry, createWriteStream(to));
    else entry.resume();
  }
  await read;
}
