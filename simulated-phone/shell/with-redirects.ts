import { absolutePath } from '../files/phone-path.js';
import { complain } from './complain.js';
import { expandToText } from './expand-word.js';
import type { Redirect } from './grammar/syntax-tree.js';
import type { InnerShell } from './inner-shell.js';
import { RedirectFailure, openRedirects, type Streams } from './redirect.js';
import { ShellError, ShellLimit } from './shell-exits.js';

/** The most files that `exec` keeps open. Each of them is an open file of the host. */
const MAX_KEPT_FILES = 64;

/** Runs a command with its redirects, whose files are closed afterwards. If a file cannot be opened, only this command fails. */
export async function withRedirects(
  shell: InnerShell,
  redirects: readonly Redirect[],
  streams: Streams,
  run: (streams: Streams) => Promise<number>,
): Promise<number> {
  if (redirects.length === 0) return run(streams);
  let opened;
  try {
    opened = await open(shell, redirects, streams);
  } catch (error) {
    if (!(error instanceof RedirectFailure)) throw error;
    return complain(streams, `/system/bin/sh: ${error.message}\n`, 1);
  }
  try {
    return await run(opened.streams);
  } finally {
    await opened.close();
  }
}

/** Does `exec` without a command: its redirects hold for all commands from now on. */
export async function keepRedirects(
  shell: InnerShell,
  redirects: readonly Redirect[],
  streams: Streams,
): Promise<number> {
  const { kept } = shell.state;
  if (kept.length + redirects.length > MAX_KEPT_FILES)
    throw new ShellLimit("can't open more files: Too many open files");
  let opened;
  try {
    opened = await open(shell, redirects, streams);
  } catch (error) {
    if (!(error instanceof RedirectFailure)) throw error;
    throw new ShellError(1, error.message);
  }
  kept.push(opened);
  Object.assign(streams, opened.streams);
  return 0;
}

async function open(
  shell: InnerShell,
  redirects: readonly Redirect[],
  streams: Streams,
): ReturnType<typeof openRedirects> {
  const { machine, state, signal } = shell;
  const resolved = [];
  for (const redirect of redirects)
    resolved.push({ ...redirect, text: await expandToText(redirect.target, shell.expansionHost(streams, signal)) });
  return openRedirects(resolved, streams, {
    files: machine.shellFiles,
    absolute: (path) => absolutePath(path, state.cwd),
    noClobber: state.options.has('noclobber'),
    umask: state.umask,
  });
}
