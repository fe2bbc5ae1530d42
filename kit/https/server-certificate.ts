import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import type { Clock, Timer } from '../async/clock.js';
import { FollowedFile } from '../files/followed-file.js';
import type { Lifecycle } from '../process/lifecycle.js';
import type { Log } from '../log/log.js';
import { TLS_OPTIONS } from './tls-options.js';

/** Paths of PEM files. */
export interface CertificateFiles {
  /** The certificate, and those between it and the authority. */
  certFile: string;
  /** Its private key, without a passphrase. */
  keyFile: string;
}

/** TLS options of clients in this process that connect to its own port. */
export interface OwnTrust {
  ca: string;
  allowPartialTrustChain: true;
  checkServerIdentity: () => undefined;
}

/**
 * Time for the second of the two files to be replaced, ms. It is longer than the interval at which file systems without change notices are
 * read.
 */
const REPLACEMENT_MS = 10_000;

export interface ServerCertificateOptions extends CertificateFiles {
  clock: Clock;
  log: Log;
}

/**
 * The certificate of TLS_CERT and TLS_KEY. Both files are followed, and a renewed pair is used for new connections; open ones continue.
 * Programs such as certbot replace one file after the other: until both belong together, the last good pair stays in use.
 */
export class ServerCertificate {
  readonly #options: ServerCertificateOptions;
  readonly #cert: FollowedFile<string>;
  readonly #key: FollowedFile<string>;
  readonly #servers = new Set<Server>();
  #served: string;
  #context: SecureContextOptions;
  #complaint: Timer | undefined;

  /** Throws when the files cannot be used now. */
  constructor(options: ServerCertificateOptions) {
    this.#options = options;
    const { certFile, keyFile, clock, log } = options;
    const onChange = (): void => this.#renew();
    const parts = { onChange, clock, log };
    this.#cert = new FollowedFile({ ...parts, setting: 'TLS_CERT', path: certFile, parse: parsed(certificateFaults) });
    try {
      this.#key = new FollowedFile({
        ...parts,
        setting: 'TLS_KEY',
        path: keyFile,
        parse: parsed(keyFaults),
      });
    } catch (error) {
      this.#cert.close();
      throw error;
    }
    const [fault] = pairFaults(this.#cert.value, this.#key.value);
    if (fault !== undefined) {
      this.close();
      throw new Error(fault);
    }
    this.#served = this.#cert.value;
    this.#context = contextOf(this.#served, this.#key.value);
  }

  /** The options for a TLS server that is created now. */
  get context(): SecureContextOptions {
    return this.#context;
  }

  /**
   * Returns the options for clients in this process that connect to its own port. The clients trust exactly this certificate, while it is
   * valid. They do not check its names, as loopback addresses are not among them.
   */
  trust(): OwnTrust {
    return { ca: this.#served, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  }

  /** Has a server use renewed certificates, until it closes. */
  serve(server: Server): void {
    this.#servers.add(server);
    server.once('close', () => this.#servers.delete(server));
  }

  close(): void {
    this.#cert.close();
    this.#key.close();
    this.#complaint?.cancel();
  }

  #renew(): void {
    const { clock, log } = this.#options;
    const [cert, key] = [this.#cert.value, this.#key.value];
    const [fault] = pairFaults(cert, key);
    this.#complaint?.cancel();
    if (fault !== undefined) {
      this.#complaint = clock.after(REPLACEMENT_MS, () =>
        log.error(`${fault}\n  The last good certificate stays in use.`),
      );
      return;
    }
    this.#served = cert;
    this.#context = contextOf(cert, key);
    for (const server of this.#servers) server.setSecureContext(this.#context);
    log.info({ valid_to: new X509Certificate(cert).validTo }, 'new connections get the renewed certificate');
  }
}

/** Returns the faults of a certificate's text. */
export function certificateFaults(text: string): string[] {
  try {
    new X509Certificate(text);
    return [];
  } catch {
    return ['it is no certificate in PEM (-----BEGIN CERTIFICATE-----)'];
  }
}

/** Returns the faults of a private key's text. */
export function keyFaults(text: string): string[] {
  try {
    createPrivateKey(text);
    return [];
  } catch {
    return ['it is no private key in PEM without a passphrase (-----BEGIN PRIVATE KEY-----)'];
  }
}

/** Returns the faults of a certificate and a key, each good by itself. */
export function pairFaults(cert: string, key: string): string[] {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    return ['TLS_KEY is not the key of the certificate in TLS_CERT.'];
  try {
    createSecureContext(contextOf(cert, key));
    return [];
  } catch (error) {
    // OpenSSL's reasons name no secret: "ee key too small", "ca md too weak".
    const { reason, message } = error as Error & { reason?: string };
    return [`TLS_CERT and TLS_KEY cannot be served: ${reason ?? message}.`];
  }
}

function contextOf(cert: string, key: string): SecureContextOptions {
  return { cert, key, ...TLS_OPTIONS };
}

function parsed(faultsOf: (text: string) => string[]): (text: string) => { value: string; faults: string[] } {
  return (text) => ({ value: text, faults: faultsOf(text) });
}

/** Opens the certificate that the settings name, to be closed with the process. Absent: plain http. */
export function openCertificate(
  files: CertificateFiles | undefined,
  { clock, log, lifecycle }: { clock: Clock; log: Log; lifecycle: Lifecycle },
): ServerCertificate | undefined {
  return files && lifecycle.add('certificate', new ServerCertificate({ ...files, clock, log }));
}
