import { ORPHAN_GRACE_MS, TEMPLATE_JOB_GRACE_MS } from '../limits.js';
import { hasHost, isTemplateId, type TemplateDocument } from '../../store/templates.js';
import { removeSavedFiles } from '../phones/remove-saved-files.js';
import type { DevicesContext } from '../devices-context.js';
import { removeTemplate, whyUsed } from './delete-template.js';

/**
 * Completes the work on templates that a crash, or another host, left unfinished. Files of templates that are deleted are removed. Templates
 * that their job did not save before it ended are marked as failed. Files that the record does not name yet are noted.
 *
 * Files of failed templates, and files without a document, are removed after a grace time, as those of snapshots (sweep-snapshots.ts).
 */
export class TemplateSweep {
  readonly #context: DevicesContext;
  /** When each unused file was first seen, by kind of phones. */
  readonly #sinceMs = new Map<string, Map<string, number>>();

  /** Templates of shared volumes that were looked for, and are not here: by kind of phones. */
  readonly #missed = new Map<string, ReadonlySet<string>>();

  constructor(context: DevicesContext) {
    this.#context = context;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { templates, drivers, log } = this.#context;
    for (const template of await templates.findOpen()) {
      await this.#end(template, signal).catch((error: unknown) =>
        log.warn(
          { template: template._id, err: error },
          'could not end what was left of a template; trying again later',
        ),
      );
    }
    for (const { kind, moves } of drivers.all) {
      await this.#compare(kind);
      // Volumes of a cluster are there for each host of the cluster.
      if (moves === undefined) await this.#noteShared(kind);
    }
  }

  async #end(template: TemplateDocument, signal: AbortSignal): Promise<void> {
    const { templates, devices, clock } = this.#context;
    const { _id: id, state, createdAt, phoneId, jobId } = template;
    if (state === 'saving') {
      if (clock.now() - createdAt.getTime() < TEMPLATE_JOB_GRACE_MS) return;
      if ((await devices.findById(phoneId))?.job?.id === jobId) return;
      // The job may have saved it, and ended, since it was read.
      await templates.fail(id, ['saving']);
      if ((await templates.find(id))?.state === 'failed') await removeSavedFiles(this.#context, template, signal);
      return;
    }
    if (template.nameKey !== undefined) {
      if ((await whyUsed(this.#context, template)) !== undefined && (await templates.keep(id))) return;
      await templates.release(id);
    }
    await removeTemplate(this.#context, template);
  }

  /** Compares the files of this host with the record. */
  async #compare(kind: string): Promise<void> {
    const { templates, devices, drivers, hostId, clock, log } = this.#context;
    const files = drivers.of({ driver: kind }).snapshots;
    const ids = ((await files?.list()) ?? []).filter(isTemplateId);
    // Documents are read after the files were listed, as a template's document is written before its files.
    const found = new Map((await templates.findByIds(ids)).map((template) => [template._id, template]));
    const useless: string[] = [];
    for (const id of ids) {
      const template = found.get(id);
      if (template?.state === 'ready' && !hasHost(template, hostId)) await templates.addHost(id, hostId);
      if (template === undefined || template.state === 'failed' || isLeft(template, hostId)) useless.push(id);
    }
    const known = this.#sinceMs.get(kind);
    const since = new Map(useless.map((id) => [id, known?.get(id) ?? clock.now()]));
    this.#sinceMs.set(kind, since);
    if (files === undefined || useless.length === 0 || (await devices.ofHost(hostId).count()) === 0) return;
    for (const [id, sinceMs] of since) {
      if (clock.now() - sinceMs < ORPHAN_GRACE_MS) continue;
      log.warn({ template: id }, 'removing the files of a template that failed, or has no document');
      await files.delete(id);
    }
  }

  /** Notes templates whose volumes another service of the cluster made. */
  async #noteShared(kind: string): Promise<void> {
    const { templates, drivers, hostId } = this.#context;
    const files = drivers.of({ driver: kind }).snapshots;
    if (files === undefined) return;
    const missed = new Set<string>();
    for (const template of await templates.findReady(kind)) {
      const { _id: id } = template;
      if (hasHost(template, hostId)) continue;
      // A volume is whole before its template is ready, so each template is looked for once.
      if (this.#missed.get(kind)?.has(id) !== true && (await files.has(id))) await templates.addHost(id, hostId);
      else missed.add(id);
    }
    this.#missed.set(kind, missed);
  }
}

/** Whether files are left of a template that goes, and that the record does not name at this host. */
function isLeft({ state, hosts }: TemplateDocument, hostId: string): boolean {
  return state === 'deleting' && !hosts.some((host) => host.hostId === hostId);
}
