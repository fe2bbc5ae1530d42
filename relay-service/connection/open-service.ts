import { serviceName } from '../../phone/adb/service-name.js';
import { ShellFrame } from '../../phone/adb/shell-frames.js';
import type { Packet } from '../../phone/adb/packet.js';
import { type AskedService, askedService } from '../policy/asked-service.js';
import type { Rule } from '../policy/rule.js';
import type { TransferBudget } from '../transfer/budget.js';
import { RawWatch } from '../transfer/raw-watch.js';
import { refuseSync } from '../transfer/refuse-sync.js';
import { SyncRequestParser } from '../transfer/sync-requests.js';
import { SyncWatch } from '../transfer/sync-watch.js';
import type { StreamCut, Watch } from '../transfer/watch.js';
import { refusalOf, refusalText, shellAnswer } from './refusal.js';
import type { RelayStream } from './relay-stream.js';
import type { Session, SessionHost } from './session.js';
import type { StreamSwitch } from './stream-switch.js';

/** Decides what becomes of each stream that a client opens: the phone's, a login, or a refusal. */
export class OpenService {
  readonly #streams: StreamSwitch;
  readonly #session: Session;
  readonly #host: SessionHost;
  readonly #budget: TransferBudget;
  readonly #phonePort: number;
  readonly #delay: (run: () => void) => void;
  /** Logins are looked at one after the other: five wrong ones are five, however many are sent at once. */
  #logins: Promise<void> = Promise.resolve();
  #wrongCodes = 0;

  constructor(parts: {
    streams: StreamSwitch;
    session: Session;
    host: SessionHost;
    budget: TransferBudget;
    phonePort: number;
    /** Runs something after a moment, unless the session ends before. */
    delay: (run: () => void) => void;
  }) {
    this.#streams = parts.streams;
    this.#session = parts.session;
    this.#host = parts.host;
    this.#budget = parts.budget;
    this.#phonePort = parts.phonePort;
    this.#delay = parts.delay;
  }

  open(open: Packet): void {
    const name = serviceName(open.payload);
    const asked = askedService(name, this.#phonePort);
    if (asked.loginCode !== undefined) {
      const stream = this.#streams.serve(open);
      const code = asked.loginCode;
      this.#logins = this.#logins.then(() => this.#login(open, stream, asked, code));
      return;
    }
    const rule = this.#session.isLoggedIn ? (asked.rule ?? this.#tooMuch(asked)) : 'login';
    if (rule !== undefined) {
      this.#refuse(open, asked, name, rule);
      return;
    }
    const watch = this.#watchOf(asked);
    this.#streams.forward(open, { runs: asked.runs, ...(watch && { watch }) });
  }

  #refuse(open: Packet, asked: AskedService, name: string, rule: Rule): void {
    this.#host.refused(this.#session, rule, name);
    const refusal = refusalOf(asked, name, rule, refusalText(rule, this.#budget.limitBytes));
    switch (refusal.how) {
      case 'close':
        this.#streams.refuse(open);
        return;
      case 'answer': {
        const stream = this.#streams.serve(open);
        stream.accept();
        stream.write(refusal.bytes);
        stream.end();
        return;
      }
      case 'sync': {
        const requests = new SyncRequestParser();
        const stream = this.#streams.serve(open, (bytes) => requests.push(bytes, reader));
        const reader = refuseSync(
          refusal.text,
          (bytes) => stream.write(bytes),
          () => stream.end(),
        );
        stream.accept();
      }
    }
  }

  /** A transfer that would go beyond what the connection may move, as far as it can be told beforehand. */
  #tooMuch({ transfer }: AskedService): Rule | undefined {
    if (transfer === undefined || transfer.kind === 'sync') return undefined;
    const needed = Math.max(1, transfer.announcedBytes ?? 0);
    return needed > this.#budget.leftBytes ? 'transfer' : undefined;
  }

  #watchOf({ kind, transfer }: AskedService): ((cut: StreamCut) => Watch) | undefined {
    if (transfer === undefined) return undefined;
    const text = refusalText('transfer', this.#budget.limitBytes);
    const parts = { budget: this.#budget, onCut: () => this.#host.refused(this.#session, 'transfer') };
    if (transfer.kind === 'sync') return (cut) => new SyncWatch({ ...parts, cut, text });
    const isInstall = transfer.kind === 'install';
    const told = isInstall && kind !== 'shell' && kind !== 'abb' ? `${text}\n` : undefined;
    return (cut) => new RawWatch({ ...parts, cut, text: told, countsAnswers: !isInstall });
  }

  async #login(open: Packet, stream: RelayStream, asked: AskedService, code: string): Promise<void> {
    if (stream.isOver) return;
    const outcome = this.#session.isLoggedIn ? 'ok' : await this.#host.login(this.#session, code);
    const shell = asked.shell ?? { v2: false, pty: false };
    if (outcome === 'ok') {
      if (!this.#session.isLoggedIn) {
        this.#session.isLoggedIn = true;
        this.#host.loggedIn(this.#session);
      }
      stream.accept();
      stream.write(shellAnswer(shell, ShellFrame.STDOUT, 'login ok', 0));
      stream.end();
      return;
    }
    if (outcome === 'wrong') this.#wrongCodes++;
    const isLast = outcome === 'off' || this.#wrongCodes >= this.#host.limits.wrongCodesPerConnection;
    const close = (): void => this.#session.close(outcome === 'off' ? 'turned off' : 'wrong codes');
    if (!shell.v2) {
      // This protocol has no status: only a stream that is not accepted ends the command with one.
      stream.closedByClient();
      this.#streams.refuse(open);
      if (isLast) close();
      return;
    }
    const text = outcome === 'unavailable' ? 'logins cannot be checked just now, try again' : 'wrong code';
    stream.accept();
    stream.write(shellAnswer(shell, ShellFrame.STDERR, text, 1));
    if (!isLast) {
      stream.end();
      return;
    }
    // The client must have read its status before the connection goes: without one it would say 0.
    this.#delay(close);
    void stream.whenRead().then(() => {
      stream.end();
      close();
    });
  }
}
