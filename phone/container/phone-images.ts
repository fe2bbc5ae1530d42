import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { type OperationOptions, PhoneFailure } from '../driver.js';
import { NoRoom } from '../files/no-room.js';
import type { FetchedImage, FoundPhones, PhoneOfImage } from '../image-based/engine.js';
import type { ContainerModel } from '../image-based/model.js';
import { callEngine, saysDiskFull, statusOf, unlessGone } from './engine-call.js';
import { pullImage, PullRefusal } from './pull-image.js';

export interface PhoneImagesParts {
  docker: Docker;
  owner: string;
  clock: Clock;
  log: Log;
}

/**
 * The images that phones are made of. A registry does not know the engine's id of an image, and the next `image prune` removes an image
 * without a name. So each id in use has a name of this service's own, for as long as a phone of it exists. Each phone also knows the
 * registry's digest: an image that was removed all the same is pulled again by it, on another machine too.
 */
export class PhoneImages {
  readonly #parts: PhoneImagesParts;
  readonly #repository: string;
  /** Why the phones of an image cannot start, as last found. The key is the image's id. */
  readonly #missing = new Map<string, string>();
  /** Locks an image by its name of this service, so that the image is not given up while a phone takes it. */
  readonly #lock = new KeyedLock();

  constructor(parts: PhoneImagesParts) {
    this.#parts = parts;
    const owner = createHash('sha256').update(parts.owner).digest('hex').slice(0, 16);
    this.#repository = `localhost/cloudphone/${owner}`;
  }

  /** A line for each image that phones need and the engine does not have. */
  get problems(): string[] {
    return [...this.#missing.values()];
  }

  /** Returns the image of a model that is made now; pulls it where the engine does not have it. */
  async fetch({ image }: ContainerModel, options: OperationOptions = {}): Promise<FetchedImage> {
    const { log } = this.#parts;
    const known = await this.#find(image, options);
    if (known === undefined) await this.#pull(image, options).catch((error: unknown) => this.#refuse(image, error));
    const found = known ?? (await this.#find(image, options));
    if (found === undefined) throw refused(log, image, 'the engine does not have it after the pull');
    await this.#hold(found.Id, found.Id, options);
    const source = this.#sourceOf(found, image);
    return { digest: found.Id, ...(source !== undefined && { source }) };
  }

  /**
   * Returns the engine's id of the image that a phone was made of; pulls it where it was removed. Throws PhoneFailure, with the image's
   * name, where it cannot be had.
   */
  async ready(phone: PhoneOfImage, options: OperationOptions = {}): Promise<string> {
    const { digest } = phone;
    const kept = (await this.#find(digest, options)) ?? (await this.#find(this.#nameOf(digest), options));
    const found = kept ?? (await this.#pulledAgain(phone, options));
    if (found === undefined) {
      const missing = `The image that the phone was made of is not on its host and cannot be fetched: ${described(phone)}.`;
      this.#missing.set(digest, problemOf(phone));
      throw new PhoneFailure(`${missing} Inform the operator.`);
    }
    await this.#hold(digest, found.Id, options);
    return found.Id;
  }

  /** Names the images of all phones, notes those that are missing, and takes the names of this service from images that no phone has. */
  async keep(find: () => Promise<FoundPhones>): Promise<void> {
    const { phones } = await find();
    this.#missing.clear();
    const byDigest = new Map(phones.map((phone) => [phone.digest, phone]));
    for (const [digest, phone] of byDigest) {
      const found = await this.#find(digest, {});
      if (found !== undefined) await this.#hold(digest, found.Id, {});
      else if ((await this.#find(this.#nameOf(digest), {})) === undefined) this.#missing.set(digest, problemOf(phone));
    }
    const inUse = new Set([...byDigest.keys()].map((digest) => this.#nameOf(digest)));
    for (const name of await this.#held()) if (!inUse.has(name)) await this.#releaseUnused(name, find);
  }

  #nameOf(digest: string): string {
    return `${this.#repository}:${digest.replace(/^sha256:/, '')}`;
  }

  async #find(reference: string, { signal }: OperationOptions): Promise<Docker.ImageInspectInfo | undefined> {
    const { docker, clock } = this.#parts;
    return unlessGone(callEngine({ clock, signal }, () => docker.getImage(reference).inspect()));
  }

  /**
   * Pulls the image of a phone again, by the registry's digest. A phone of an earlier release knows only its model's reference, which may
   * lead to another image by now.
   */
  async #pulledAgain(phone: PhoneOfImage, options: OperationOptions): Promise<Docker.ImageInspectInfo | undefined> {
    const { log } = this.#parts;
    const { source, digest } = phone;
    const reference = source ?? referenceOf(phone);
    if (reference === undefined) return undefined;
    try {
      await this.#pull(reference, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      // Without a response it is the engine that failed, which may pass.
      if (!(error instanceof PullRefusal)) throw error;
      log.error({ image: reference, err: error.cause }, 'the image of a phone is gone and cannot be pulled again');
      return undefined;
    }
    const found = await this.#find(reference, options);
    return found !== undefined && (source !== undefined || found.Id === digest) ? found : undefined;
  }

  async #pull(reference: string, { signal, onProgress, onPulling }: OperationOptions): Promise<void> {
    const { docker } = this.#parts;
    onPulling?.();
    try {
      await pullImage(docker, reference, { signal, onProgress });
    } catch (error) {
      throw error instanceof PullRefusal && saysDiskFull(error.cause) ? new NoRoom(error) : error;
    }
  }

  #refuse(image: string, error: unknown): never {
    if (error instanceof PullRefusal) throw refused(this.#parts.log, image, error.cause);
    throw error;
  }

  /**
   * The registry's name of an image, by its digest: the one in the model's repository, where there are several. Podman also lists names
   * that an image has only on this machine. The name of this service is left out, as no registry has it.
   */
  #sourceOf({ RepoDigests: digests }: Docker.ImageInspectInfo, reference: string): string | undefined {
    const repository = reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
    const known = ((digests as string[] | null) ?? []).filter((one) => !one.startsWith(`${this.#repository}@`));
    return known.find((one) => `/${one.split('@')[0]}`.endsWith(`/${repository}`)) ?? known[0];
  }

  async #hold(digest: string, id: string, { signal }: OperationOptions): Promise<void> {
    const { docker, clock } = this.#parts;
    this.#missing.delete(digest);
    const tag = digest.replace(/^sha256:/, '');
    const name = (abortSignal: AbortSignal): Promise<unknown> =>
      docker.getImage(id).tag({ repo: this.#repository, tag, abortSignal });
    await this.#lock.run(this.#nameOf(digest), () => callEngine({ clock, signal }, name));
  }

  async #held(): Promise<string[]> {
    const { docker, clock } = this.#parts;
    const filters = { reference: [this.#repository] };
    const images = await callEngine({ clock }, (abortSignal) => docker.listImages({ filters, abortSignal }));
    return images
      .flatMap(({ RepoTags: names }) => names ?? [])
      .filter((name) => name.startsWith(`${this.#repository}:`));
  }

  /** Compares again while no phone can take the image. A phone may have been made of the image since the names were listed. */
  #releaseUnused(name: string, find: () => Promise<FoundPhones>): Promise<void> {
    return this.#lock.run(name, async () => {
      const { phones, complete } = await find();
      if (complete && phones.every(({ digest }) => this.#nameOf(digest) !== name)) await this.#release(name);
    });
  }

  /** Removes a name. The engine also removes an image that has no other name, unless a container uses the image. */
  async #release(name: string): Promise<void> {
    const { docker, clock, log } = this.#parts;
    try {
      await unlessGone(callEngine({ clock }, (abortSignal) => docker.getImage(name).remove({ abortSignal })));
    } catch (error) {
      if (statusOf(error) === undefined) throw error;
      log.info({ image: name, err: error }, 'the engine keeps an image that no phone has');
    }
  }
}

function referenceOf({ made }: PhoneOfImage): string | undefined {
  return made.driver === 'container' ? made.image : undefined;
}

function described(phone: PhoneOfImage): string {
  return phone.source ?? `${referenceOf(phone) ?? 'an image'} (${phone.digest.slice(0, 19)})`;
}

function problemOf(phone: PhoneOfImage): string {
  return `the image ${described(phone)} is missing: phones of the model "${phone.made.model}" that were made of it start only once it can be pulled`;
}

/** The reason is for the operator: customers name models, not images. */
function refused(log: Log, image: string, reason: unknown): PhoneFailure {
  log.error({ image, err: reason }, 'the image of a model cannot be pulled');
  return new PhoneFailure('The image of this model cannot be fetched. Choose another model, or inform the operator.');
}
