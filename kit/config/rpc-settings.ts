import { readFileSync } from 'node:fs';
import type { RpcTls } from '../rpc/tls.js';
import type { Settings } from './settings.js';

/** How services know each other, and how their gRPC ports are encrypted. */
export interface MeshConfig {
  /** Shared by all services. Absent: not set, or certificates take its place. */
  meshToken: string | undefined;
  /** Absent: gRPC ports are not encrypted. */
  tls: RpcTls | undefined;
}

/** Least length of MESH_TOKEN: with 32 hex digits nobody guesses it, however fast the port responds. */
const MESH_TOKEN_CHARACTERS = 32;

/**
 * MESH_TOKEN, and GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA, which name PEM files. They are read at the start: new certificates
 * are used after a restart. With a CA services verify each other by certificate, and the token is not used.
 */
export function meshSettings(settings: Settings): MeshConfig {
  const read = (name: string): string | undefined => {
    const path = settings.optionalText(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      settings.require(
        false,
        `${name}="${path}" cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
      );
      return undefined;
    }
  };
  const meshToken = settings.secret('MESH_TOKEN');
  // Without the value: it is a secret.
  settings.require(
    meshToken === undefined || meshToken.length >= MESH_TOKEN_CHARACTERS,
    `MESH_TOKEN has fewer than ${MESH_TOKEN_CHARACTERS} characters: anyone who finds it owns every account. Make one with \`openssl rand -hex 32\``,
  );
  const [cert, key, ca] = [read('GRPC_TLS_CERT'), read('GRPC_TLS_KEY'), read('GRPC_TLS_CA')];
  settings.require(
    (cert === undefined) === (key === undefined) && (ca === undefined || cert !== undefined),
    'GRPC_TLS_CERT and GRPC_TLS_KEY go together, and GRPC_TLS_CA needs both',
  );
  if (cert === undefined || key === undefined) return { meshToken, tls: undefined };
  return ca === undefined ? { meshToken, tls: { cert, key } } : { meshToken: undefined, tls: { cert, key, ca } };
}
