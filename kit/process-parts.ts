import type { Transport } from '@connectrpc/connect';
import type { Registry } from 'prom-client';
import { systemClock } from './clock.js';
import type { OpsConfig } from './config/process-settings.js';
import type { MeshConfig } from './config/rpc-settings.js';
import { listenOps } from './ops/listen.js';
import { processMetrics } from './ops/process-metrics.js';
import { servingAt } from './rpc/health.js';
import { listenRpc } from './rpc/listen.js';
import type { RpcService } from './rpc/rpc-service.js';
import { connectTo } from './rpc/transport.js';
import type { Running } from './run-service.js';

// The parts that every service's process opens. All are closed with the process.

/** Opens the ops port; `metrics` is for the services to add theirs to. */
export async function openOps({
  config,
  log,
  lifecycle,
  readiness,
}: Running<OpsConfig>): Promise<{ metrics: Registry; url: string }> {
  const metrics = processMetrics(readiness);
  const ops = await listenOps({ ...config.ops, metrics, readiness, clock: systemClock, log });
  const { port } = lifecycle.add('ops port', ops);
  return { metrics, url: `http://${config.ops.host}:${port}` };
}

/** The way to the device service, which must serve for this process to be ready. */
export function deviceServiceOf({ config, readiness }: Running<MeshConfig & { deviceServiceUrl: string }>): Transport {
  const device = connectTo({ ...config, url: config.deviceServiceUrl, service: 'the device service' });
  readiness.needs('device_service', servingAt(device));
  return device;
}

/** Opens the gRPC port of a service that was created, and returns its number. */
export async function serveRpc(
  { config, log, lifecycle, readiness }: Running<MeshConfig & { host: string; port: number }>,
  service: { rpc: RpcService; close(): Promise<void> },
): Promise<number> {
  lifecycle.add(service.rpc.name, service);
  const { host, meshToken } = config;
  const listener = await listenRpc(service.rpc, { ...config, guarded: meshToken !== undefined, log, readiness });
  const { port } = lifecycle.add('rpc', listener);
  log.info({ host, port }, `${service.rpc.name.replace(/^the /, '')} listens`);
  return port;
}
