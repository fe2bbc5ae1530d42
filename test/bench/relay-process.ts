import { connect, createServer, type AddressInfo } from 'node:net';
import { create } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { contractsOver } from '../../gateway/contracts.js';
import { createGateway } from '../../gateway/service.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { AllowedHosts } from '../../kit/net/allowed-hosts.js';
import { listenRpc } from '../../kit/rpc/listen.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { startRelayWorld } from '../relay/relay-world.js';
import { openTunnelPort } from '../relay/tunnel-port.js';
import { carryOver, openTunnel } from '../relay/tunnel-socket.js';
import { floodOpens, floodStats } from './relay-flood.js';
import { SINK_IDENTITY, startSinkPhone } from './sink-phone.js';

export type RelayBenchQuestion =
  /** `serve`: opens the gRPC port. */
  | { ask: 'enable' | 'enable for others' | 'memory' | 'watch memory' | 'serve' }
  /** Enables the relay of another device, whose phone is at that port. */
  | { ask: 'enable another'; phonePort: number };

export interface RelayBenchReply {
  port: number;
  code: string;
  rssBytes: number;
  mostRssBytes: number;
  cpuMs: number;
}

/**
 * A part of the relay's bench: `phone`, `relay <phone's port>`, `pipe <phone's port>`, `flood <relay's port> <kind> <code>`, `edge <relay's
 * gRPC port>` or `tunnel <edge's port>`. Says its port, then responds to questions.
 */
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
} else if (part === 'edge') {
  const nowhere = {} as Transport;
  const url = `http://127.0.0.1:${phonePort}`;
  const relay = connectTo({ url, service: 'the relay service', meshToken: undefined });
  const caller = create(CallerSchema, {
    accountId: 'acc_test',
    keyId: 'key-1',
    scope: Scope.CONTROL,
    allDevices: true,
  });
  const gateway = createGateway({
    ...{ clock: systemClock, log: silentLog, metrics: new Registry(), hosts: new AllowedHosts([]) },
    contracts: contractsOver({ device: nowhere, screen: nowhere, relay, webhook: nowhere }),
    authenticate: () => Promise.resolve(caller),
  });
  say({ port: (await gateway.listen('127.0.0.1', 0, undefined)).port });
} else if (part === 'tunnel') {
  const { port } = await openTunnelPort((client) =>
    carryOver(client, openTunnel(`http://127.0.0.1:${phonePort}`, 'testphone', 'any')),
  );
  say({ port });
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
      if (ask === 'serve') {
        say({ port: (await listenRpc(world.service.rpc, { host: '127.0.0.1', port: 0, guarded: false })).port });
      } else if (ask === 'enable' || ask === 'enable for others') {
        const isOthers = ask === 'enable for others';
        const relay = await world.enable(isOthers ? { allow: ['203.0.113.1'], name: 'others' } : { tunnel: true });
        say({ port: relay.port ?? 0, code: relay.code ?? '' });
      } else if (ask === 'enable another') {
        const relay = await world.enable({ name: 'another' });
        say({ port: relay.port ?? 0, code: relay.code ?? '' });
      } else if (ask === 'watch memory') {
        say({});
        mostRssBytes = 0;
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
