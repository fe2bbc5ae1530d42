import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../output/failure.js';

/** A service that was logged in to. */
export interface KnownService {
  /** Base URL with /v1. */
  url: string;
  key: string;
}

/** The content of the file. */
export interface KnownServices {
  /** The name of the service that is used where none is named. Absent: none is. */
  current?: string;
  services: Record<string, KnownService>;
}

/** Rights of nobody but the owner, as the file has keys. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Reads the services that were logged in to. A file that does not exist has none. */
export function readServices(file: string): KnownServices {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { services: {} };
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const content = parsed(text);
  if (content === undefined)
    throw new Failure(`${file} is not what "cloudphone login" writes. Remove it, and log in again.`);
  return content;
}

/** Whether other users of the machine can read the file. */
export function isOpenToOthers(file: string): boolean {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o077) !== 0;
}

/**
 * Writes the file whole or not at all: into a new file beside it, which gets its name. A crash between the two leaves a file that nothing
 * reads. The later one of two logins at the same moment wins.
 */
export function writeServices(file: string, content: KnownServices): void {
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  const written = `${file}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(written, 'wx', FILE_MODE);
  try {
    writeSync(descriptor, `${JSON.stringify(content, undefined, 2)}\n`);
    fsyncSync(descriptor);
    renameSync(written, file);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function parsed(text: string): KnownServices | undefined {
  try {
    const content = JSON.parse(text) as Partial<KnownServices> | null;
    const services = Object.entries(content?.services ?? {});
    const areGood = services.every(([, one]) => typeof one.url === 'string' && typeof one.key === 'string');
    if (content?.services === undefined || !areGood) return undefined;
    return {
      ...(typeof content.current === 'string' && { current: content.current }),
      services: Object.fromEntries(services),
    };
  } catch {
    return undefined;
  }
}
