import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ObjectStore } from './object-store.js';

/** A bucket of S3, or of a server that speaks its protocol. */
export interface S3Place {
  bucket: string;
  /** The beginning of the names of all objects: empty, or with a slash at its end. */
  prefix: string;
  /** URL of the server. Absent: Amazon's, for the region. */
  endpoint: string | undefined;
  region: string;
  /** Absent: those that the SDK finds by itself, such as the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/** Objects are sent in parts of this size, bytes. S3 takes 10,000 parts, so the largest object has 160 GiB. */
const PART_BYTES = 16 * 1024 * 1024;
/** How many parts are sent at the same time. All of them are in memory. */
const PARTS_AT_ONCE = 2;
/** How long a connection may take to be made, and how long the server may be silent, ms. */
const CONNECT_MS = 10_000;
const SILENT_MS = 60_000;

/** Keeps objects in a bucket. An upload that ends early leaves no object; its parts are removed, or by a rule of the bucket after a kill. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client;
  readonly #place: S3Place;

  constructor(place: S3Place) {
    this.#place = place;
    const { endpoint, region, credentials } = place;
    const config: S3ClientConfig = {
      region,
      maxAttempts: 3,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
      // Servers other than Amazon's know neither buckets as host names nor the newer checksums.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(credentials !== undefined && { credentials }),
    };
    this.#client = new S3Client(config);
  }

  async put(name: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const stopping = new AbortController();
    let failure: unknown;
    const body = Readable.from(content, { objectMode: false });
    body.once('error', (error) => (failure = error));
    const upload = new Upload({
      client: this.#endingWith(signal),
      params: { ...this.#named(name), Body: body },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
      abortController: stopping,
    });
    const stop = (): void => stopping.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      await upload.done();
    } catch (error) {
      // The upload removes its parts first. Where that fails too, it throws that failure in place of the first one.
      throw failure ?? error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async get(name: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined> {
    try {
      const { Body: body } = await this.#client.send(new GetObjectCommand(this.#named(name)), { abortSignal: signal });
      return body as Readable;
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async delete(name: string, signal: AbortSignal): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#named(name)), { abortSignal: signal });
  }

  /** The client for an upload. The upload passes no signal on, so requests under way would go on after its end. */
  #endingWith(abortSignal: AbortSignal): S3Client {
    const client = Object.create(this.#client) as S3Client;
    const send = (command: never): unknown => this.#client.send(command, { abortSignal });
    client.send = send as S3Client['send'];
    return client;
  }

  #named(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#place.bucket, Key: `${this.#place.prefix}${name}` };
  }
}
