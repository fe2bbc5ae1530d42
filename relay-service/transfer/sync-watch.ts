import { MAX_SYNC_DATA_BYTES } from '../../phone/adb/sync-messages.js';
import type { TransferBudget } from './budget.js';
import { refusedReply, refuseSync, shortestRest } from './refuse-sync.js';
import { AwaitedReplies, SyncReplyParser, type SyncReplyReader } from './sync-replies.js';
import { SyncRequestParser, type SyncRequestReader } from './sync-requests.js';
import type { StreamCut, Watch, WatchedSide } from './watch.js';

/**
 * Counts the files in a sync stream, both ways, and cuts the one that would be too much at a DATA record: what the phone still
 * owes for earlier requests is let through, then the client is told FAIL in the phone's place, and from there on the relay
 * answers the stream itself, refusing every transfer. The phone's side is closed in the middle of the file, which makes adbd
 * throw the piece away.
 *
 * A write is decided on whole (gathered, at most 1 MiB) only when the count could fill up within it; all others go on as they
 * come. Throws MalformedSync.
 */
export class SyncWatch implements Watch {
  readonly fromClient: WatchedSide;
  readonly fromPhone: WatchedSide;
  readonly #budget: TransferBudget;
  readonly #cut: StreamCut;
  readonly #text: string;
  readonly #onCut: () => void;
  readonly #requests = new SyncRequestParser();
  readonly #awaited = new AwaitedReplies();
  readonly #replies = new SyncReplyParser(this.#awaited);
  readonly #refuse: SyncRequestReader;
  /** Set when the stream is cut: answers of ours that wait for those that the phone owes. */
  #ownAnswers: Buffer[] | undefined;
  #ownEnd = false;
  /** Set when the phone's side is closed. */
  #taken: { write: (bytes: Buffer) => void; end: () => void } | undefined;
  /** Where in the client's bytes at hand the stream was cut. */
  #cutAt = 0;
  /** Where in the phone's bytes at hand the parsing ended: at a DATA record that is too much, or behind the last awaited reply. */
  #stop: { at: number; isCut: boolean } | undefined;

  constructor(parts: { budget: TransferBudget; cut: StreamCut; text: string; onCut: () => void }) {
    this.#budget = parts.budget;
    this.#cut = parts.cut;
    this.#text = parts.text;
    this.#onCut = parts.onCut;
    this.#refuse = refuseSync(
      parts.text,
      (bytes) => (this.#taken ? this.#taken.write(bytes) : this.#ownAnswers?.push(bytes)),
      () => (this.#taken ? this.#taken.end() : (this.#ownEnd = true)),
    );
    this.fromClient = this.#clientSide();
    this.fromPhone = this.#phoneSide();
  }

  receive(bytes: Buffer): void {
    this.#requests.push(bytes, this.#refuse);
  }

  #clientSide(): WatchedSide {
    const packet = new ReservedPacket(this.#budget);
    const reader = this.#requestReader(packet);
    return {
      route: (length) => {
        if (this.#ownAnswers) return 'take';
        return packet.begin(length) ? 'watch' : 'gather';
      },
      piece: (bytes) => this.#requests.push(bytes, reader),
      end: () => packet.end(),
      packet: (payload) => {
        this.#requests.push(payload, reader);
        return this.#ownAnswers ? payload.subarray(0, Math.max(0, this.#cutAt)) : payload;
      },
      passed: () => this.#takeOverWhenAnswered(),
    };
  }

  #requestReader(packet: ReservedPacket): SyncRequestReader {
    const cutAt = (at: number): void => {
      this.#cutAt = at;
      this.#ownAnswers = [];
      this.#onCut();
    };
    const refuseWhenCut =
      <A extends unknown[]>(refuse: (...args: A) => void, ask: (...args: A) => void) =>
      (...args: A): void => {
        if (this.#ownAnswers) refuse(...args);
        else ask(...args);
      };
    const refuse = this.#refuse;
    const transfer =
      (kind: 'send' | 'receive') =>
      (at: number): void => {
        if (packet.canUse(1)) {
          this.#awaited.push(kind);
          return;
        }
        cutAt(at);
        refuse[kind](at);
      };
    return {
      stat: refuseWhenCut(refuse.stat, (id) => this.#awaited.push(id === 'STAT' ? 'stat' : 'stat2')),
      list: refuseWhenCut(refuse.list, (id) => this.#awaited.push(id === 'LIST' ? 'list' : 'list2')),
      send: refuseWhenCut(refuse.send, transfer('send')),
      receive: refuseWhenCut(refuse.receive, transfer('receive')),
      data: refuseWhenCut(refuse.data, (bytes, at) => {
        if (packet.use(bytes)) return;
        cutAt(at);
        // The file at hand is the newest request. When the phone has failed it already, the client has its answer.
        if (this.#awaited.isEmpty) return;
        this.#awaited.pop();
        refuse.send(at);
      }),
      done: refuseWhenCut(refuse.done, () => undefined),
      quit: refuseWhenCut(refuse.quit, () => undefined),
    };
  }

  #phoneSide(): WatchedSide {
    const packet = new ReservedPacket(this.#budget);
    const reader: SyncReplyReader = {
      data: (bytes, at) => {
        if (packet.use(bytes)) return true;
        this.#stop = { at, isCut: true };
        return false;
      },
      answered: (end) => {
        this.#awaited.shift();
        if (!this.#ownAnswers || !this.#awaited.isEmpty) return true;
        this.#stop = { at: end, isCut: false };
        return false;
      },
    };
    return {
      route: (length) => (!this.#ownAnswers && packet.begin(length) ? 'watch' : 'gather'),
      piece: (bytes) => this.#replies.push(bytes, reader),
      end: () => packet.end(),
      packet: (payload) => {
        this.#replies.push(payload, reader);
        const stop = this.#stop;
        this.#stop = undefined;
        if (!stop) return payload;
        if (!stop.isCut) return payload.subarray(0, stop.at);
        this.#cutPull(payload, stop.at);
        return NOTHING;
      },
      passed: () => this.#takeOverWhenAnswered(),
    };
  }

  /** A DATA record that begins at `at` is too much. */
  #cutPull(payload: Buffer, at: number): void {
    const answers = [at >= 0 ? payload.subarray(0, at) : shortestRest(this.#replies.header, -at)];
    for (let kind = this.#awaited.shift(); kind; kind = this.#awaited.shift()) {
      answers.push(refusedReply(kind, this.#text));
    }
    if (!this.#ownAnswers) this.#onCut();
    this.#ownAnswers = [...answers, ...(this.#ownAnswers ?? [])];
    this.#takeOverWhenAnswered();
  }

  #takeOverWhenAnswered(): void {
    if (!this.#ownAnswers || this.#taken || !this.#awaited.isEmpty) return;
    this.#taken = this.#cut.takeOver(this.#ownAnswers);
    if (this.#ownEnd) this.#taken.end();
  }
}

const NOTHING = Buffer.alloc(0);

/** The part of the budget that the packet at hand has, when it is looked at while it goes on. */
class ReservedPacket {
  readonly #budget: TransferBudget;
  #reservedBytes = 0;

  constructor(budget: TransferBudget) {
    this.#budget = budget;
  }

  /** A DATA record that begins in a packet's last byte can announce 64 KiB beyond it. Answers false when it must be gathered. */
  begin(length: number): boolean {
    const bytes = length + MAX_SYNC_DATA_BYTES;
    if (!this.#budget.reserve(bytes)) return false;
    this.#reservedBytes = bytes;
    return true;
  }

  canUse(bytes: number): boolean {
    return this.#reservedBytes > 0 || bytes <= this.#budget.leftBytes;
  }

  use(bytes: number): boolean {
    if (this.#reservedBytes === 0) return this.#budget.use(bytes);
    this.#budget.useReserved(bytes);
    this.#reservedBytes -= bytes;
    return true;
  }

  end(): void {
    this.#budget.giveBack(this.#reservedBytes);
    this.#reservedBytes = 0;
  }
}
