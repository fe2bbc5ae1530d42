import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RpcTls } from '../rpc/tls.js';
import { meshTokens } from '../rpc/mesh.js';
import type { SettingName } from './setting-list/setting-list.js';
import type { Settings } from './settings.js';

/** How services recognize each other, and how their gRPC ports are encrypted. */
export interface MeshConfig {
  /**
   * Shared by all services; two tokens with a comma while it is replaced (kit/rpc/mesh.ts). Absent: not set, or certificates take its
   * place.
   */
  meshToken: string | undefined;
  /** Absent: gRPC ports are not encrypted. */
  tls: RpcTls | undefined;
  /** Where the services of one machine keep the token that they make for themselves (kit/service/mesh-token.ts). */
  dataDirectory: string;
}

/** Least length of MESH_TOKEN: with 32 hex digits nobody guesses it, however fast the port responds. */
const MESH_TOKEN_CHARACTERS = 32;

/**
 * Reads MESH_TOKEN, and the PEM files that GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA name. They are read at the start: new certificates
 * are used after a restart. With a CA, services verify each other by certificate, and the token is not used.
 */
export function meshSettings(settings: Settings): MeshConfig {
  const read = (name: SettingName): string | undefined => {
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
  const tokens = meshToken === undefined ? [] : meshTokens(meshToken);
  // The error texts leave out the value, as it is a secret.
  settings.require(
    tokens.length <= 2,
    'MESH_TOKEN has more than two tokens with commas: it has one, or two while it is replaced',
  );
  settings.require(
    tokens.every(({ length }) => length >= MESH_TOKEN_CHARACTERS),
    `MESH_TOKEN has fewer than ${MESH_TOKEN_CHARACTERS} characters: anyone who finds it owns every account. Make one with \`openssl rand -hex 32\``,
  );
  const [cert, key, ca] = [read('GRPC_TLS_CERT'), read('GRPC_TLS_KEY'), read('GRPC_TLS_CA')];
  settings.require(
    (cert === undefined) === (key === undefined) && (ca === undefined || cert !== undefined),
    'GRPC_TLS_CERT and GRPC_TLS_KEY go together, and GRPC_TLS_CA needs both',
  );
  const dataDirectory = resolve(settings.text('DATA_DIR', './data'));
  if (cert === undefined || key === undefined) return { meshToken, tls: undefined, dataDirectory };
  return ca === undefined
    ? { meshToken, tls: { cert, key }, dataDirectory }
    : { meshToken: undefined, tls: { cert, key, ca }, dataDirectory };
}
