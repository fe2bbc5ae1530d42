import type { Machine } from '../machine.js';
import type { Reservation } from '../memory/memory-budget.js';
import { PhoneFileError } from '../files/file-error.js';
import { absolutePath } from '../files/phone-path.js';
import { ArithmeticError } from './arithmetic.js';
import { startBackgroundJob } from './background-job.js';
import { BUILTINS, FunctionReturn, LoopExit, ShellExit } from './builtins.js';
import { CommandFailure } from './command.js';
import { complain } from './complain.js';
import { ExpansionFailure, expandToPattern, expandToText, expandWord, type ExpansionHost } from './expand-word.js';
import { parseScript } from './grammar/parse-script.js';
import { ShellSyntaxError, type Node, type Redirect } from './grammar/syntax-tree.js';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { Gathered, Pipe } from './pipe.js';
import { RedirectFailure, openRedirects, type Streams } from './redirect.js';
import { runLoop } from './run-loop.js';
import { runProgram } from './run-program.js';
import type { Shell } from './shell.js';
import type { ShellState } from './shell-state.js';

/** Runs scripts against one phone. One interpreter is one shell: its variables and folder last from script to script. */
export class Interpreter implements Shell {
  readonly machine: Machine;
  readonly state: ShellState;
  /** Aborts when this shell must end. */
  readonly signal: AbortSignal;
  #commandCount = 0;
  #depth = 0;
  /** Conditions that are being evaluated: in them `set -e` ends nothing. */
  #conditions = 0;
  /** Status of the latest `$(...)` of the command that is being expanded. */
  #substituted = 0;

  constructor(options: { machine: Machine; state: ShellState; signal: AbortSignal }) {
    this.machine = options.machine;
    this.state = options.state;
    this.signal = options.signal;
  }

  start(state: ShellState, signal: AbortSignal): Interpreter {
    return new Interpreter({ machine: this.machine, state, signal });
  }

  /** Returns the exit status. Errors of the script are printed, never thrown. */
  async run(script: string, streams: Streams): Promise<number> {
    try {
      return (this.state.lastStatus = await this.evaluate(parseScript(script), streams));
    } catch (error) {
      if (error instanceof ShellExit) {
        this.state.exited = true;
        return (this.state.lastStatus = error.status);
      }
      if (error instanceof LoopExit) return this.state.lastStatus;
      if (error instanceof FunctionReturn) return (this.state.lastStatus = error.status);
      if (error instanceof ShellSyntaxError || error instanceof ExpansionFailure || error instanceof ArithmeticError)
        return (this.state.lastStatus = await complain(streams, `/system/bin/sh: ${error.message}\n`, 1));
      if (error instanceof CommandFailure) return (this.state.lastStatus = await complain(streams, `${error.message}\n`, error.status)); // prettier-ignore
      if (error instanceof BrokenPipe || this.signal.aborted) return (this.state.lastStatus = 141);
      // Too deep for our stack, or too long for a text: the script's fault, and the end of this script only.
      if (error instanceof RangeError)
        return (this.state.lastStatus = await complain(streams, '/system/bin/sh: out of memory\n', 1));
      throw error;
    }
  }

  async evaluate(node: Node, streams: Streams, signal = this.signal): Promise<number> {
    if (++this.#depth > MAX_DEPTH) throw new ShellSyntaxError('nested too deeply');
    try {
      return await this.#evaluateNode(node, streams, signal);
    } finally {
      this.#depth--;
    }
  }

  async #evaluateNode(node: Node, streams: Streams, signal: AbortSignal): Promise<number> {
    switch (node.type) {
      case 'list': {
        let status = 0;
        for (const { node: item, background } of node.items) {
          if (background) startBackgroundJob(this, item, streams);
          else status = this.state.lastStatus = await this.evaluate(item, streams, signal);
        }
        return status;
      }
      case 'and-or': {
        const left = (this.state.lastStatus = await this.#condition(node.left, streams, signal));
        const goOn = node.operator === '&&' ? left === 0 : left !== 0;
        return goOn ? this.evaluate(node.right, streams, signal) : left;
      }
      case 'pipeline': {
        if (node.negated)
          return Number((await this.#inCondition(() => this.#pipeline(node.stages, streams, signal))) === 0);
        return this.#orExit(await this.#pipeline(node.stages, streams, signal));
      }
      case 'command':
        return this.#orExit(await this.#simple(node, streams, signal));
      case 'group': {
        const status = await this.#redirected(node.redirects, streams, (inner) =>
          node.subshell ? this.#subshell(node.body, inner, signal) : this.evaluate(node.body, inner, signal),
        );
        return node.subshell ? this.#orExit(status) : status;
      }
      case 'if':
        return this.#redirected(node.redirects, streams, async (inner) => {
          for (const { condition, body } of node.branches)
            if ((await this.#condition(condition, inner, signal)) === 0) return this.evaluate(body, inner, signal);
          return node.otherwise ? this.evaluate(node.otherwise, inner, signal) : 0;
        });
      case 'while':
        return this.#redirected(node.redirects, streams, (inner) =>
          runLoop(async (turn) => {
            const goOn = ((await this.#condition(node.condition, inner, signal)) === 0) !== node.until;
            if (goOn) await turn(() => this.evaluate(node.body, inner, signal));
            await this.#breathe(signal);
            return goOn;
          }),
        );
      case 'for':
        return this.#redirected(node.redirects, streams, async (inner) => {
          const host = this.#host(inner, signal);
          const values: string[] = [];
          let next = 0;
          if (node.words) for (const word of node.words) addWords(values, await expandWord(word, host));
          else addWords(values, this.state.positional);
          return runLoop(async (turn) => {
            const value = values[next++];
            if (value === undefined) return false;
            this.state.variables.set(node.name, value);
            await turn(() => this.evaluate(node.body, inner, signal));
            await this.#breathe(signal);
            return true;
          });
        });
      case 'function':
        this.state.define(node);
        return 0;
      case 'case':
        return this.#redirected(node.redirects, streams, async (inner) => {
          const host = this.#host(inner, signal);
          const text = await expandToText(node.word, host);
          for (const { patterns, body } of node.branches)
            for (const pattern of patterns)
              if ((await expandToPattern(pattern, host)).test(text)) return this.evaluate(body, inner, signal);
          return 0;
        });
    }
  }

  /** The shell that a subshell, a pipeline's stage or a background job runs in. */
  fork(memory: Reservation, signal = this.signal): Interpreter {
    const fork = this.start(this.state.copy(memory), signal);
    fork.#depth = this.#depth;
    fork.#conditions = this.#conditions;
    return fork;
  }

  #condition(node: Node, streams: Streams, signal: AbortSignal): Promise<number> {
    return this.#inCondition(() => this.evaluate(node, streams, signal));
  }

  async #inCondition(run: () => Promise<number>): Promise<number> {
    this.#conditions++;
    try {
      return await run();
    } finally {
      this.#conditions--;
    }
  }

  /** Ends the shell for a failed command after `set -e`; otherwise returns the status. */
  #orExit(status: number): number {
    if (status !== 0 && this.#conditions === 0 && this.state.options.has('errexit')) throw new ShellExit(status);
    return status;
  }

  async #simple(node: Node & { type: 'command' }, streams: Streams, signal: AbortSignal): Promise<number> {
    await this.#breathe(signal);
    const host = this.#host(streams, signal);
    this.#substituted = 0;
    const words: string[] = [];
    for (const word of node.words) addWords(words, await expandWord(word, host));
    const assigned: [string, string][] = [];
    for (const { name, value } of node.assignments) assigned.push([name, await expandToText(value, host)]);
    if (this.state.options.has('xtrace'))
      await streams.stderr.write(`+ ${[...assigned.map((pair) => pair.join('=')), ...words].join(' ')}\n`);
    return this.#redirected(node.redirects, streams, async (inner) => {
      const [name] = words;
      if (name === undefined) {
        for (const [variable, value] of assigned) this.state.variables.set(variable, value);
        return this.#substituted;
      }
      const called = this.state.function(name);
      if (called) return this.#call(called.body, words.slice(1), { assigned, streams: inner, signal });
      const builtin = BUILTINS.get(name);
      if (builtin) {
        for (const [variable, value] of assigned) {
          this.state.variables.set(variable, value);
          // `LD_LIBRARY_PATH=/x exec program`: the program must see it.
          if (name === 'exec') this.state.exported.add(variable);
        }
        return builtin({ shell: this, args: words.slice(1), streams: inner, signal });
      }
      return runProgram(this, words, inner, signal, assigned);
    });
  }

  #call(
    body: Node,
    args: readonly string[],
    { assigned, streams, signal }: { assigned: readonly [string, string][]; streams: Streams; signal: AbortSignal },
  ): Promise<number> {
    return this.state.inFunction(args, async () => {
      for (const [variable, value] of assigned) {
        this.state.makeLocal(variable);
        this.state.variables.set(variable, value);
      }
      try {
        return await this.evaluate(body, streams, signal);
      } catch (error) {
        if (error instanceof FunctionReturn) return error.status;
        throw error;
      }
    });
  }

  async #redirected(
    redirects: readonly Redirect[],
    streams: Streams,
    run: (streams: Streams) => Promise<number>,
  ): Promise<number> {
    if (redirects.length === 0) return run(streams);
    const resolved = [];
    for (const redirect of redirects)
      resolved.push({ ...redirect, text: await expandToText(redirect.target, this.#host(streams, this.signal)) });
    let opened;
    try {
      opened = await openRedirects(resolved, streams, {
        files: this.machine.shellFiles,
        absolute: (path) => absolutePath(path, this.state.cwd),
      });
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

  async #pipeline(stages: readonly Node[], streams: Streams, signal: AbortSignal): Promise<number> {
    let input = streams.stdin;
    const runs = stages.map((stage, index) => {
      const isLast = index === stages.length - 1;
      const output = isLast ? undefined : new Pipe();
      const source = input;
      const inner: Streams = { ...streams, stdin: source, stdout: output ?? streams.stdout };
      if (output) input = output;
      return this.#subshell(stage, inner, signal).finally(() => {
        output?.end();
        if (index > 0 && source instanceof Pipe) source.break();
      });
    });
    const statuses = await Promise.all(runs);
    const failed = this.state.options.has('pipefail') ? statuses.findLast((status) => status !== 0) : undefined;
    return failed ?? statuses.at(-1) ?? 0;
  }

  async #subshell(body: Node, streams: Streams, signal: AbortSignal): Promise<number> {
    const memory = this.machine.memory.reserve();
    try {
      return await this.fork(memory, signal).evaluate(body, streams, signal);
    } catch (error) {
      if (error instanceof ShellExit || error instanceof FunctionReturn) return error.status;
      if (error instanceof BrokenPipe) return 141;
      throw error;
    } finally {
      memory.release();
    }
  }

  #host(streams: Streams, signal: AbortSignal): ExpansionHost {
    return {
      state: this.state,
      substitute: async (body) => {
        const memory = this.machine.memory.reserve();
        try {
          const gathered = new Gathered(undefined, memory);
          this.#substituted = this.state.lastStatus = await this.#subshell(
            body,
            { ...streams, stdout: gathered },
            signal,
          );
          return gathered.text();
        } finally {
          memory.release();
        }
      },
      listFolder: async (path) => {
        try {
          return (await this.machine.shellFiles.list(path)).map((entry) => entry.name);
        } catch (error) {
          if (error instanceof PhoneFileError) return [];
          throw error;
        }
      },
    };
  }

  /** Ends a shell whose client is gone, and lets others run: `while true; do true; done` must not hold the process. */
  async #breathe(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new BrokenPipe('ended');
    if (++this.#commandCount % COMMANDS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const COMMANDS_PER_TURN = 16;
/** `X='eval "$X"'; eval "$X"` must end. */
const MAX_DEPTH = 1_000;

/** One by one: as arguments of one call they would have to fit on the stack. Throws ExpansionFailure for too many. */
function addWords(to: string[], words: readonly string[]): void {
  if (to.length + words.length > MAX_WORDS) throw new ExpansionFailure('argument list too long');
  for (const word of words) to.push(word);
}

const MAX_WORDS = 250_000;
