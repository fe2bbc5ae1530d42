import { connect, createServer, type AddressInfo } from 'node:net';
import { systemClock } from '../../kit/clock.js';
import { startRelayWorld } from '../relay/relay-world.js';
import { floodOpens, floodStats } from './relay-flood.js';
import { SINK_IDENTITY, startSinkPhone } from './sink-phone.js';

export type RelayBenchQuestion =
  | { ask: 'enable' | 'enable for others' | 'memory' | 'watch memory' }
  /** Enables the relay of another device, whose phone is at that port. */
  | { ask: 'enable another'; phonePort: number };

export interface RelayBenchReply {
  port: number;
  code: string;
  rssBytes: number;
  mostRssBytes: number;
  cpuMs: number;
}

/** A part of the relay's bench: `phone`, `relay <phone's port>`, `pipe <phone's port>` or `flood <relay's port> <kind> <code>`. Says its port, then responds to questions. */
const [part, phonePort, kind, floodCode] = process.argv.slice(2);
const say = (response: Partial<RelayBenchReply>): void => void process.send?.(response);
process.once('disconnect', () => process.exit(0));

if (part === 'phone') {
  say({ port: await startSinkPhone() });
} else if (part === 'pipe') {
  const server = createServer({ noDelay: true }, (client) => {
    const phone = connect({ port: Number(phonePort), host: '127.0.0.1', noDelay: true });
    client.pipe(phone).pipe(client);
    for (const socket of [client, phone])
      socket.on('error', () => {
        client.destroy();
        phone.destroy();
      });
  });
  server.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }));
} else if (part === 'flood') {
  let isFlooding = false;
  const flooding = (): void => {
    if (!isFlooding) say({ port: 0 });
    isFlooding = true;
  };
  if (kind === 'opens') await floodOpens(Number(phonePort), flooding);
  else await floodStats({ port: Number(phonePort), code: floodCode }, flooding);
} else if (part === 'relay') {
  const world = await startRelayWorld();
  world.behind.phone = {
    phoneId: 'ph_test',
    generation: 1,
    host: '127.0.0.1',
    port: Number(phonePort),
    identity: SINK_IDENTITY,
  };
  let mostRssBytes = 0;
  process.on('message', (question: RelayBenchQuestion) => {
    const { ask } = question;
    void (async () => {
      if (question.ask === 'enable another')
        world.behind.others.set('ph_another', { ...world.behind.phone!, port: question.phonePort });
      if (ask === 'enable' || ask === 'enable for others') {
        const isOthers = ask === 'enable for others';
        const relay = await world.enable(isOthers ? { allow: ['203.0.113.1'], name: 'others' } : {});
        say({ port: relay.port ?? 0, code: relay.code ?? '' });
      } else if (ask === 'enable another') {
        const relay = await world.enable({ name: 'another' });
        say({ port: relay.port ?? 0, code: relay.code ?? '' });
      } else if (ask === 'watch memory') {
        say({});
        for (;;) {
          mostRssBytes = Math.max(mostRssBytes, process.memoryUsage.rss());
          await systemClock.sleep(50);
        }
      } else {
        const { user, system } = process.cpuUsage();
        say({ rssBytes: process.memoryUsage.rss(), mostRssBytes, cpuMs: (user + system) / 1000 });
      }
    })();
  });
  say({ port: 0 });
}
