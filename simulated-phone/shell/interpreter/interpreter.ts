import type { Machine } from '../../machine/machine.js';
import type { Reservation } from '../../memory/memory-budget.js';
import { BrokenPipe } from '../../../phone/adb/device/broken-pipe.js';
import { ArithmeticError } from '../arithmetic.js';
import { startBackgroundJob } from '../background-job.js';
import { complain } from '../complain.js';
import { evaluateCondition } from '../evaluate-condition.js';
import { addWords, expandToGlob, expandToText, expandWord, type ExpansionHost } from '../expand-word.js';
import { expansionHostOf } from '../expansion-host.js';
import { parseLines } from '../grammar/parse-script.js';
import type { Node } from '../grammar/syntax-tree.js';
import type { InnerShell } from '../inner-shell.js';
import { Pipe } from '../../streams/pipe.js';
import type { Streams } from '../redirect.js';
import { runLoop, type RunTurn } from '../run-loop.js';
import { runSimpleCommand } from './run-simple-command.js';
import { untilScriptEnds } from '../script-end.js';
import { ShellExit, ShellLimit } from '../shell-exits.js';
import type { ShellState } from '../shell-state.js';
import { shownTime } from '../shown-time.js';
import { testHostOf } from '../test-host.js';
import { withRedirects } from '../with-redirects.js';

/** Runs scripts against one phone. One interpreter is one shell: its variables and folder last from script to script. */
export class Interpreter implements InnerShell {
  readonly machine: Machine;
  readonly state: ShellState;
  /** Aborts when this shell must end. */
  readonly signal: AbortSignal;
  loops = 0;
  substituted = 0;
  #commandCount = 0;
  #depth = 0;
  /** Depth of the conditions that are being evaluated. In a condition, a failed command does not end the shell after `set -e`. */
  #conditions = 0;
  #isTrapping = false;

  constructor(options: { machine: Machine; state: ShellState; signal: AbortSignal }) {
    this.machine = options.machine;
    this.state = options.state;
    this.signal = options.signal;
  }

  start(state: ShellState, signal: AbortSignal, machine = this.machine): Interpreter {
    return new Interpreter({ machine, state, signal });
  }

  async runToEnd(script: string, streams: Streams): Promise<number> {
    await this.run(script, streams);
    return this.end(streams);
  }

  async run(script: string, streams: Streams): Promise<number> {
    return (this.state.lastStatus = await untilScriptEnds(this, streams, () => this.evaluateText(script, streams)));
  }

  async end(streams: Streams): Promise<number> {
    const { state } = this;
    const atExit = state.traps.get('EXIT');
    state.traps.delete('EXIT');
    const before = state.lastStatus;
    if (atExit !== undefined && !this.signal.aborted) {
      state.exited = false;
      await this.run(atExit, streams);
      if (!this.state.exited) state.lastStatus = before;
    }
    for (const file of state.kept.splice(0)) await file.close();
    return state.lastStatus;
  }

  async evaluateText(script: string, streams: Streams, signal = this.signal): Promise<number> {
    let status: number | undefined;
    for (const line of parseLines(script, this.state.aliases))
      status = this.state.lastStatus = await this.evaluate(line, streams, signal);
    return status ?? this.state.lastStatus;
  }

  async evaluate(node: Node, streams: Streams, signal = this.signal): Promise<number> {
    if (++this.#depth > MAX_DEPTH) throw new ShellLimit('nested too deeply');
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
          if (background) {
            startBackgroundJob(this, item, streams);
            status = this.state.lastStatus = 0;
          } else status = this.state.lastStatus = await this.evaluate(item, streams, signal);
        }
        return status;
      }
      case 'and-or': {
        const left = (this.state.lastStatus = await this.#condition(node.left, streams, signal));
        const goOn = node.operator === '&&' ? left === 0 : left !== 0;
        return goOn ? this.evaluate(node.right, streams, signal) : left;
      }
      case 'pipeline': {
        const startMs = this.machine.clock.monotonicMs();
        const run = (): Promise<number> => this.#pipeline(node.stages, streams, signal);
        const status = node.negated ? Number((await this.#inCondition(run)) === 0) : await run();
        if (node.timed) await streams.stderr.write(shownTime(this.machine.clock.monotonicMs() - startMs, node.timed));
        return node.negated ? status : this.#orExit(status, streams);
      }
      case 'command': {
        const status = await runSimpleCommand(this, node, streams, signal);
        this.state.pipeStatuses = [status];
        return this.#orExit(status, streams);
      }
      case 'array': {
        const values: string[] = [];
        for (const word of node.words) addWords(values, await expandWord(word, this.expansionHost(streams, signal)));
        this.state.variables.setArray(node.name, values, { append: node.append });
        return 0;
      }
      case 'condition':
        return withRedirects(this, node.redirects, streams, async (inner) => {
          await this.breathe(inner, signal);
          const isTrue = await evaluateCondition(
            node.condition,
            this.expansionHost(inner, signal),
            testHostOf(this, inner),
          );
          return this.#orExit(isTrue ? 0 : 1, inner);
        });
      case 'arithmetic':
        return withRedirects(this, node.redirects, streams, async (inner) => {
          await this.breathe(inner, signal);
          const text = await expandToText(node.expression, this.expansionHost(inner, signal));
          try {
            return await this.#orExit(this.state.evaluate(text) === 0 ? 1 : 0, inner);
          } catch (error) {
            if (!(error instanceof ArithmeticError)) throw error;
            return this.#orExit(await complain(inner, `/system/bin/sh: ${error.message}\n`, 2), inner);
          }
        });
      case 'group': {
        const status = await withRedirects(this, node.redirects, streams, (inner) =>
          node.subshell ? this.subshell(node.body, inner, signal) : this.evaluate(node.body, inner, signal),
        );
        return node.subshell ? this.#orExit(status, streams) : status;
      }
      case 'if':
        return withRedirects(this, node.redirects, streams, async (inner) => {
          for (const { condition, body } of node.branches)
            if ((await this.#condition(condition, inner, signal)) === 0) return this.evaluate(body, inner, signal);
          return node.otherwise ? this.evaluate(node.otherwise, inner, signal) : 0;
        });
      case 'while':
        return withRedirects(this, node.redirects, streams, (inner) =>
          this.#loop(async (turn) => {
            const goOn = ((await this.#condition(node.condition, inner, signal)) === 0) !== node.until;
            if (goOn) await turn(() => this.evaluate(node.body, inner, signal));
            await this.breathe(inner, signal);
            return goOn;
          }),
        );
      case 'for':
        return withRedirects(this, node.redirects, streams, async (inner) => {
          const host = this.expansionHost(inner, signal);
          const values: string[] = [];
          let next = 0;
          if (node.words) for (const word of node.words) addWords(values, await expandWord(word, host));
          else addWords(values, this.state.positional);
          return this.#loop(async (turn) => {
            const value = values[next++];
            if (value === undefined) return false;
            this.state.assign(node.name, undefined, value);
            await turn(() => this.evaluate(node.body, inner, signal));
            await this.breathe(inner, signal);
            return true;
          });
        });
      case 'function':
        this.state.define(node);
        return 0;
      case 'case':
        return withRedirects(this, node.redirects, streams, (inner) => this.#case(node, inner, signal));
    }
  }

  async #case(node: Node & { type: 'case' }, streams: Streams, signal: AbortSignal): Promise<number> {
    const host = this.expansionHost(streams, signal);
    const text = await expandToText(node.word, host);
    let status = 0;
    let runsNext = false;
    for (const { patterns, body, next } of node.branches) {
      for (let at = 0; at < patterns.length && !runsNext; at++)
        runsNext = (await expandToGlob(patterns[at] ?? [], host)).test(text);
      if (!runsNext) continue;
      status = await this.evaluate(body, streams, signal);
      if (next === 'end') break;
      runsNext = next === 'body';
    }
    return status;
  }

  /** Makes the shell in which a subshell, a pipeline's stage or a background job runs. */
  fork(memory: Reservation, signal = this.signal): Interpreter {
    const fork = this.start(this.state.copy(memory), signal);
    fork.#depth = this.#depth;
    fork.#conditions = this.#conditions;
    return fork;
  }

  async subshell(body: Node, streams: Streams, signal: AbortSignal): Promise<number> {
    const memory = this.machine.memory.reserve();
    try {
      const fork = this.fork(memory, signal);
      const own = { ...streams };
      fork.state.lastStatus = await untilScriptEnds(fork, own, () => fork.evaluate(body, own, signal), {
        keepLimits: true,
      });
      return await fork.end(own);
    } finally {
      memory.release();
    }
  }

  async #loop(step: (turn: RunTurn) => Promise<boolean>): Promise<number> {
    this.loops++;
    try {
      return await runLoop(step);
    } finally {
      this.loops--;
    }
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

  /** Returns the status of a command. Outside of conditions, a failed one runs the trap for ERR, and ends the shell after `set -e`. */
  async #orExit(status: number, streams: Streams): Promise<number> {
    if (status === 0 || this.#conditions > 0) return status;
    const onError = this.state.traps.get('ERR');
    if (onError !== undefined) await this.#trap(onError, streams, status);
    if (this.state.options.has('errexit')) throw new ShellExit(status);
    return status;
  }

  /** Runs the text of a trap, and then restores `$?`. */
  async #trap(text: string, streams: Streams, status = this.state.lastStatus): Promise<void> {
    if (this.#isTrapping) return;
    this.#isTrapping = true;
    this.state.lastStatus = status;
    try {
      await this.evaluateText(text, streams);
    } finally {
      this.#isTrapping = false;
    }
    this.state.lastStatus = status;
  }

  async #pipeline(stages: readonly Node[], streams: Streams, signal: AbortSignal): Promise<number> {
    const [only] = stages;
    if (stages.length === 1 && only) return this.evaluate(only, streams, signal);
    let input = streams.stdin;
    const run = (stage: Node, index: number): Promise<number> => {
      const isLast = index === stages.length - 1;
      const output = isLast ? undefined : new Pipe();
      const source = input;
      const inner: Streams = { ...streams, stdin: source, stdout: output ?? streams.stdout };
      if (output) input = output;
      return this.subshell(stage, inner, signal).finally(() => {
        output?.end();
        if (index > 0 && source instanceof Pipe) source.break();
      });
    };
    const statuses = await Promise.all(stages.map(run));
    this.state.pipeStatuses = statuses;
    const failed = this.state.options.has('pipefail') ? statuses.findLast((status) => status !== 0) : undefined;
    return failed ?? statuses.at(-1) ?? 0;
  }

  expansionHost(streams: Streams, signal: AbortSignal): ExpansionHost {
    return expansionHostOf(this, streams, signal);
  }

  async breathe(streams: Streams, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new BrokenPipe('ended');
    if (++this.#commandCount % COMMANDS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const text of this.state.traps.takePending()) await this.#trap(text, streams);
  }
}

const COMMANDS_PER_TURN = 16;
/** Greatest depth of evaluation. It ends scripts without end, such as `X='eval "$X"'; eval "$X"`. */
const MAX_DEPTH = 1_000;
