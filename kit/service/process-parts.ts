import type { Transport } from '@connectrpc/connect';
import type { Registry } from 'prom-client';
import { systemClock } from '../async/clock.js';
import type { OpsConfig } from '../config/process-settings.js';
import type { MeshConfig } from '../config/rpc-settings.js';
import { isLoopback } from '../net/exposure.js';
import type { Log } from '../log/log.js';
import { withKeptToken } from './mesh-token.js';
import { certificateMetrics, certificatesOf, type CertificateSettings } from '../ops/certificate-metrics.js';
import { listenOps } from '../ops/listen.js';
import { processMetrics } from '../ops/process-metrics.js';
import { servingAt } from '../rpc/health.js';
import { listenRpc } from '../rpc/listen.js';
import { connectTo } from '../rpc/transport.js';
import type { Running } from './run-service.js';
import type { Service } from './service.js';

const UNGUARDED =
  'Every user of this machine can call the internal rpcs of this service, which read and change all accounts: neither MESH_TOKEN nor ' +
  'GRPC_TLS_CA is set. Set the same MESH_TOKEN for all services, the gateways and the admin command, and start them again.';

// The parts that every service's process opens. All are closed with the process.

/** Opens the ops port. Services add their metrics to the returned `metrics`. */
export async function openOps({
  config,
  log,
  lifecycle,
  readiness,
  rejections,
  lines,
}: Running<OpsConfig & CertificateSettings>): Promise<{ metrics: Registry; url: string }> {
  const metrics = processMetrics({ readiness, rejections, lines });
  certificateMetrics(metrics, certificatesOf(config));
  const ops = await listenOps({ ...config.ops, metrics, readiness, clock: systemClock, log });
  const { port } = lifecycle.add('ops port', ops);
  return { metrics, url: `http://${config.ops.host}:${port}` };
}

/**
 * Returns the configuration of a service that has a process of its own. Without MESH_TOKEN and GRPC_TLS_CA, the token of DATA_DIR is used,
 * if there is one. A service that listens beyond this machine needs MESH_TOKEN. `services` is for a gateway, which has no gRPC port: the
 * URL of its services. It uses the token of DATA_DIR only if they are on this machine.
 */
export function withMeshToken<C extends MeshConfig & { host: string }>(config: C, log: Log, services?: string): C {
  const where = services === undefined ? config.host : new URL(services).hostname;
  if (!isLoopback(where.replace(/^\[|\]$/g, ''))) return config;
  try {
    return withKeptToken(config, { make: false });
  } catch (err) {
    log.warn({ err }, 'the data folder (DATA_DIR), where services of one machine find their token, cannot be used');
    return config;
  }
}

/** Returns the transport to the device service. This process is ready only while the device service serves. */
export function deviceServiceOf({ config, readiness }: Running<MeshConfig & { deviceServiceUrl: string }>): Transport {
  const device = connectTo({ ...config, url: config.deviceServiceUrl, service: 'the device service' });
  readiness.needs('device_service', servingAt(device));
  return device;
}

/** Opens the gRPC port of a service that was created, and returns its number. */
export async function serveRpc(
  { config, log, lifecycle, readiness }: Running<MeshConfig & { host: string; port: number }>,
  service: Service,
): Promise<number> {
  lifecycle.add(service.rpc.name, service);
  const { host, meshToken, tls } = config;
  if (meshToken === undefined && tls?.ca === undefined) log.warn(UNGUARDED);
  const listener = await listenRpc(service.rpc, { ...config, guarded: meshToken !== undefined, log, readiness });
  const { port } = lifecycle.add('rpc', listener);
  // What is added last is closed first.
  if (service.leave !== undefined) lifecycle.onClose('calls that last', () => service.leave?.());
  log.info({ host, port }, `${service.rpc.name.replace(/^the /, '')} listens`);
  return port;
}
