import { begunAhead } from '../../kit/async/begun-ahead.js';
import { serviceName } from '../../phone/adb/service-name.js';
import { ShellFrame } from '../../phone/adb/shell-frames.js';
import type { Packet } from '../../phone/adb/packet.js';
import type { RelayLimits } from '../limits.js';
import type { Rule } from '../policy/rule.js';
import { judge, readService, type ServiceRequest, type Verdict } from '../policy/service-request.js';
import { MAX_TOKENS } from '../policy/shell-words.js';
import { rawGuard } from '../transfer/raw-guard.js';
import { refusedReply } from '../transfer/refused-reply.js';
import type { StreamCut, StreamGuard } from '../transfer/stream-guard.js';
import { SyncGuard } from '../transfer/sync-guard.js';
import { SyncRequestParser } from '../transfer/sync-requests.js';
import type { TransferBudget } from '../transfer/transfer-budget.js';
import { refusalOf, refusalText, shellReply } from './refusal.js';
import type { ServedStream } from './served-stream.js';
import type { StreamSwitch } from './stream-switch.js';

/** The session that opens the services, and its relay's functions for it. */
export interface ServiceSession {
  isLoggedIn(): boolean;
  readonly limits: Pick<RelayLimits, 'wrongCodesPerConnection'>;
  /** Checks a login code. `off`: the code is wrong, and the relay has been turned off. */
  login(code: string): Promise<'ok' | 'wrong' | 'off' | 'unavailable'>;
  /** Is called with the first right code. The session is logged in from then on. */
  onLogin(): void;
  /** Counts and logs a refusal. */
  onRefused(rule: Rule, service?: string): void;
  /** Is called when a command line goes to the phone. */
  onPassed(command: string): void;
  close(reason: 'turned off' | 'wrong codes'): void;
}

interface OpenServiceParts {
  streams: StreamSwitch;
  session: ServiceSession;
  budget: TransferBudget;
  phonePort: number;
  /** Is called when a stream was judged. `work` is the work that this took, in the unit of packet-scanner.ts. */
  onJudged: (work: number) => void;
  /** Runs something after a moment, unless the session ends before. */
  delay: (run: () => void) => void;
}

/** Work of judging one token of a script. 8,192 tokens take some four milliseconds. */
const WORK_PER_TOKEN = 1 / 2;

/** Channels whose argument is a command line; an empty one is an interactive shell. */
const COMMANDS: readonly ServiceRequest['channel'][] = ['shell', 'exec', 'abb', 'abb-exec'];

/** Decides on each stream that a client opens: it goes to the phone, is a login, or is refused. */
export class OpenService {
  readonly #parts: OpenServiceParts;
  /**
   * Codes are checked one after the other, and counted before the check. So the limit holds for codes that are sent at the same time, too.
   */
  #logins: Promise<void> = Promise.resolve();
  #attempts = 0;
  #wrongCodes = 0;
  #isLockedOut = false;

  constructor(parts: OpenServiceParts) {
    this.#parts = parts;
  }

  open(open: Packet): void {
    if (this.#isLockedOut) {
      this.#parts.streams.refuse(open);
      return;
    }
    const request = readService(serviceName(open.payload));
    if (request.loginCode !== undefined) {
      this.#queueLogin(open, request, request.loginCode);
      return;
    }
    // Nothing is judged before the login: judging costs time, and anyone on the allow-list can connect.
    if (!this.#parts.session.isLoggedIn()) {
      this.#refuse(open, request, 'login');
      return;
    }
    const tokens = { left: MAX_TOKENS };
    const verdict = judge(request, this.#parts.phonePort, tokens);
    this.#parts.onJudged((MAX_TOKENS - tokens.left) * WORK_PER_TOKEN);
    const rule = verdict.rule ?? this.#transferRule(verdict);
    if (rule !== undefined) {
      this.#refuse(open, request, rule);
      return;
    }
    if (COMMANDS.includes(request.channel)) this.#parts.session.onPassed(request.argument);
    this.#parts.streams.forward(open, { runs: verdict.runs, guard: this.#guardOf(request, verdict) });
  }

  #refuse(open: Packet, request: ServiceRequest, rule: Rule): void {
    this.#parts.session.onRefused(rule, request.name);
    const text = refusalText(rule, this.#parts.budget.limitBytes);
    const refusal = refusalOf(request, text);
    if (refusal.form === 'close') {
      this.#parts.streams.refuse(open);
    } else if (refusal.form === 'text') {
      const stream = this.#parts.streams.serve(open);
      stream.accept();
      stream.write(refusal.bytes);
      stream.end();
    } else {
      const requests = new SyncRequestParser();
      const stream = this.#parts.streams.serve(open, (piece) =>
        requests.push(piece, NO_ACTION, (record) => {
          const { bytes, ends } = refusedReply(record, text);
          if (bytes) stream.write(bytes);
          if (ends === true) stream.end();
        }),
      );
      stream.accept();
    }
  }

  /** Refuses a transfer that is known beforehand to exceed the connection's limit. */
  #transferRule({ transfer }: Verdict): Rule | undefined {
    if (transfer === undefined || transfer.kind === 'sync') return undefined;
    return Math.max(1, transfer.announcedBytes ?? 0) > this.#parts.budget.leftBytes ? 'transfer' : undefined;
  }

  #guardOf({ channel }: ServiceRequest, { transfer }: Verdict): ((cut: StreamCut) => StreamGuard) | undefined {
    if (transfer === undefined) return undefined;
    const text = refusalText('transfer', this.#parts.budget.limitBytes);
    const parts = {
      budget: this.#parts.budget,
      onCut: () => this.#parts.session.onRefused('transfer'),
    };
    if (transfer.kind === 'sync') return (cut) => new SyncGuard({ ...parts, cut, text });
    const isInstall = transfer.kind === 'install';
    const sent = isInstall && (channel === 'exec' || channel === 'abb-exec') ? `${text}\n` : undefined;
    return (cut) => rawGuard({ ...parts, cut, text: sent, countsReplies: !isInstall });
  }

  #queueLogin(open: Packet, request: ServiceRequest, code: string): void {
    if (!this.#parts.session.isLoggedIn() && ++this.#attempts > this.#parts.session.limits.wrongCodesPerConnection) {
      this.#parts.streams.refuse(open);
      return;
    }
    const stream = this.#parts.streams.serve(open);
    this.#logins = begunAhead(this.#logins.then(() => this.#login(open, stream, request, code)));
  }

  async #login(open: Packet, stream: ServedStream, request: ServiceRequest, code: string): Promise<void> {
    if (stream.isOver || this.#isLockedOut) return;
    const outcome = this.#parts.session.isLoggedIn() ? 'ok' : await this.#parts.session.login(code);
    const shell = request.shell ?? { v2: false, pty: false };
    if (outcome === 'ok') {
      if (!this.#parts.session.isLoggedIn()) this.#parts.session.onLogin();
      stream.accept();
      stream.write(shellReply(shell, ShellFrame.STDOUT, 'login ok', 0));
      stream.end();
      return;
    }
    if (outcome === 'unavailable') this.#attempts--;
    else this.#wrongCodes++;
    this.#isLockedOut = outcome === 'off' || this.#wrongCodes >= this.#parts.session.limits.wrongCodesPerConnection;
    const close = (): void => this.#parts.session.close(outcome === 'off' ? 'turned off' : 'wrong codes');
    if (!shell.v2) {
      // This protocol has no status. Only if the stream is not accepted does the client's command fail.
      stream.abandon();
      this.#parts.streams.refuse(open);
      if (this.#isLockedOut) close();
      return;
    }
    const text = outcome === 'unavailable' ? 'the code cannot be checked at the moment: try again' : 'wrong code';
    stream.accept();
    stream.write(shellReply(shell, ShellFrame.STDERR, text, 1));
    if (!this.#isLockedOut) {
      stream.end();
      return;
    }
    // The client must have read the status before the connection ends. Without a status adb would end with 0.
    this.#parts.delay(close);
    void stream.whenRead().then(() => {
      stream.end();
      close();
    });
  }
}

const NO_ACTION = (): void => undefined;
