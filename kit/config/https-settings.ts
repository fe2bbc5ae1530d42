import { readFileSync } from 'node:fs';
import { certificateFaults, type CertificateFiles, keyFaults, pairFaults } from '../https/server-certificate.js';
import type { Settings } from './settings.js';

/** How the public HTTP ports of a process are encrypted. */
export interface HttpsConfig {
  /** Absent: plain http. */
  https: CertificateFiles | undefined;
}

/** TLS_CERT and TLS_KEY, which name PEM files. They are read here only to report their faults with those of other settings. */
export function httpsSettings(settings: Settings): HttpsConfig {
  const certFile = settings.optionalText('TLS_CERT');
  const keyFile = settings.optionalText('TLS_KEY');
  settings.require((certFile === undefined) === (keyFile === undefined), 'TLS_CERT and TLS_KEY go together');
  const cert = readPem(settings, 'TLS_CERT', certFile, certificateFaults);
  const key = readPem(settings, 'TLS_KEY', keyFile, keyFaults);
  if (certFile === undefined || keyFile === undefined) return { https: undefined };
  if (cert !== undefined && key !== undefined)
    for (const fault of pairFaults(cert, key)) settings.require(false, fault);
  return { https: { certFile, keyFile } };
}

export interface RedirectConfig {
  /** The port that redirects http to https; 0 picks a free one. Absent: there is no such port. */
  redirectPort: number | undefined;
}

/** REDIRECT_PORT, which only makes sense beside https. */
export function redirectSettings(settings: Settings, { https }: HttpsConfig): RedirectConfig {
  if (settings.optionalText('REDIRECT_PORT') === undefined) return { redirectPort: undefined };
  settings.require(https !== undefined, 'REDIRECT_PORT redirects to https, and needs TLS_CERT and TLS_KEY');
  return { redirectPort: settings.port('REDIRECT_PORT', 0) };
}

/** Returns a file's text. Reports a file that cannot be used, and returns undefined for it. */
function readPem(
  settings: Settings,
  name: string,
  path: string | undefined,
  faultsOf: (text: string) => string[],
): string | undefined {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    settings.require(false, `${name}="${path}" cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
    return undefined;
  }
  const faults = faultsOf(text);
  for (const fault of faults) settings.require(false, `${name}="${path}" cannot be used: ${fault}`);
  return faults.length === 0 ? text : undefined;
}
