import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import type { BsonDocument } from '../../embedded-mongo/values/document.js';
import { parseMessage } from '../../embedded-mongo/wire/message.js';
import { onMessage } from '../../testing/database-messages.js';

/** `asked`: the step before is done, and the database does not know it yet. `done`: it does, and the service has no reply. */
export const SIDES = ['asked', 'done'] as const;
export type StepSide = (typeof SIDES)[number];

const REQUEST_ID_AT = 4;
const RESPONSE_TO_AT = 8;

/** Stands between a service and its database, and stops at the update that takes an upgrade to its next step. */
export class UpgradeGate {
  /** Called at each such update. Returns false when the service was ended there. */
  onStep: (step: string, side: StepSide) => Promise<boolean> = () => Promise.resolve(true);
  readonly #server: Server;
  readonly #database: NetConnectOpts;

  private constructor(database: NetConnectOpts) {
    this.#database = database;
    this.#server = createServer((socket) => this.#join(socket));
  }

  static async open(database: NetConnectOpts): Promise<UpgradeGate> {
    const gate = new UpgradeGate(database);
    await new Promise<void>((resolve) => gate.#server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get url(): string {
    return `mongodb://127.0.0.1:${(this.#server.address() as AddressInfo).port}/?directConnection=true`;
  }

  close(): void {
    this.#server.close();
  }

  #join(service: Socket): void {
    const database = connect(this.#database);
    const steps = new Map<number, string>();
    let isGone = false;
    service.on('close', () => {
      isGone = true;
      // A command under way is run all the same.
      if (steps.size === 0) database.destroy();
    });
    database.on('close', () => service.destroy());
    for (const socket of [service, database]) socket.on('error', () => socket.destroy());
    inTurn(service, async (message) => {
      const step = stepIn(message);
      if (step !== undefined) {
        if (!(await this.onStep(step, 'asked'))) return;
        steps.set(message.readInt32LE(REQUEST_ID_AT), step);
      }
      database.write(message);
    });
    inTurn(database, async (message) => {
      const step = steps.get(message.readInt32LE(RESPONSE_TO_AT));
      if (step !== undefined) await this.onStep(step, 'done');
      steps.delete(message.readInt32LE(RESPONSE_TO_AT));
      if (!isGone) service.write(message);
      else if (steps.size === 0) database.destroy();
    });
  }
}

/** Calls `take` with each message that comes, one after the other. */
function inTurn(socket: Socket, take: (message: Buffer) => Promise<void>): void {
  let before = Promise.resolve();
  onMessage(socket, (message) => {
    before = before.then(() => take(message));
  });
}

/** Returns the step that a message writes; undefined for any other message. */
function stepIn(message: Buffer): string | undefined {
  const { body } = parseMessage(message);
  if (body['findAndModify'] !== 'devices') return undefined;
  const set = (body['update'] as BsonDocument | undefined)?.['$set'] as BsonDocument | undefined;
  const step = set?.['job.upgrade.step'];
  return typeof step === 'string' ? step : undefined;
}
