import type { Writable } from 'node:stream';

/** Standard output and standard error, and what is at their other ends. */
export interface Terminal {
  /** Standard output, for content that is no text for people. */
  output: Writable;
  /** Standard error, for the output of other programs. */
  errors: Writable;
  /** Writes a line to standard output. */
  line: (text: string) => void;
  /** Writes a line for people to standard error. */
  note: (text: string) => void;
  /** Writes to standard error, without a line's end. */
  draw: (text: string) => void;
  /** Whether a person sees standard error, so that progress may be drawn. */
  showsProgress: boolean;
  /** Standard input, to read a key or a file from. */
  input: NodeJS.ReadStream;
}

/** The streams of a process. */
export interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Connects the terminal of a process. */
export function openTerminal({ stdin, stdout, stderr }: Streams): Terminal {
  return {
    output: stdout,
    errors: stderr,
    line: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    draw: (text) => void stderr.write(text),
    showsProgress: stderr.isTTY,
    input: stdin,
  };
}
