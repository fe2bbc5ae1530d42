import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';

/** A certificate of this process. */
export interface WatchedCertificate {
  /** The setting that names its file. */
  setting: string;
  /** Returns its text, PEM. */
  read: () => Promise<string>;
}

/** The settings that name certificates, as far as a process has them. */
export interface CertificateSettings {
  https?: { certFile: string } | undefined;
  tls?: { cert: string; ca?: string } | undefined;
}

/** Returns the certificates of a process. A file that is followed is read again; those of gRPC are used as they were at the start. */
export function certificatesOf({ https, tls }: CertificateSettings): WatchedCertificate[] {
  return [
    ...(https === undefined ? [] : [{ setting: 'TLS_CERT', read: () => readFile(https.certFile, 'utf8') }]),
    ...(tls === undefined ? [] : [{ setting: 'GRPC_TLS_CERT', read: async () => tls.cert }]),
    ...(tls?.ca === undefined ? [] : [{ setting: 'GRPC_TLS_CA', read: async () => tls.ca ?? '' }]),
  ];
}

/** Adds the metric of the ends of certificates. A certificate that cannot be read has no value. */
export function certificateMetrics(metrics: Registry, certificates: readonly WatchedCertificate[]): void {
  new Gauge({
    name: 'certificate_expires_timestamp_seconds',
    help: 'When a certificate of this process ends, seconds since 1970, by the setting that names its file',
    labelNames: ['setting'],
    registers: [metrics],
    async collect() {
      this.reset();
      for (const { setting, read } of certificates) {
        const endsMs = await endOf(read);
        if (endsMs !== undefined) this.set({ setting }, endsMs / 1_000);
      }
    },
  });
}

/** Returns when a certificate ends, ms since 1970; undefined where it cannot be read. */
export async function endOf(read: () => Promise<string>): Promise<number | undefined> {
  try {
    const endMs = Date.parse(new X509Certificate(await read()).validTo);
    return Number.isNaN(endMs) ? undefined : endMs;
  } catch {
    // A renewal replaces the file at this moment, or its content is refused with a line in the log elsewhere.
    return undefined;
  }
}
