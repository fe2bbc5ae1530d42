import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RelayBenchQuestion, RelayBenchReply } from './relay-process.js';

/** One part of the bench in a process of its own. */
export class Peer {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(...args: string[]): Promise<Peer> {
    const child = fork(fileURLToPath(new URL('./relay-process.js', import.meta.url)), args);
    const { port } = await replyOf(child);
    return new Peer(child, port);
  }

  ask(question: RelayBenchQuestion): Promise<RelayBenchReply> {
    const response = replyOf(this.#child);
    this.#child.send(question);
    return response;
  }

  stop(): void {
    this.#child.kill();
  }
}

function replyOf(child: ChildProcess): Promise<RelayBenchReply> {
  return new Promise((resolve, reject) => {
    child.once('message', (response) => resolve(response as RelayBenchReply));
    child.once('exit', (status) => reject(new Error(`a part of the bench ended with status ${status}`)));
  });
}
