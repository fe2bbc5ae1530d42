import type { FollowedFile } from '../../kit/files/followed-file.js';
import type { Log } from '../../kit/log/log.js';
import type { PhoneCapabilities } from '../driver.js';
import type { PhoneEngine } from './engine.js';
import type { ImageBasedModel } from './model.js';

export interface OfferedModelsOptions {
  engine: PhoneEngine;
  /** The models of MODELS_FILE, those of other engines too. */
  file: Pick<FollowedFile<readonly ImageBasedModel[]>, 'value' | 'close'>;
  /** Returns why no phone of any model can be used yet. Undefined: phones can be used. */
  obstacle: () => string | undefined;
  log: Log;
}

/** The models of one engine in MODELS_FILE, and which of them this host can run. */
export class OfferedModels {
  readonly #options: OfferedModelsOptions;
  /** Why this host cannot run a model, by model. */
  #obstacles = new Map<string, string>();

  constructor(options: OfferedModelsOptions) {
    this.#options = options;
  }

  /** Returns the model, whether this host can run it or not. */
  find(name: string): ImageBasedModel | undefined {
    return this.#all().find(({ model }) => model === name);
  }

  /** Finds anew which models this host can run. Called whenever the capacity is measured. */
  async findObstacles(): Promise<void> {
    const { engine, obstacle: ofAll, log } = this.#options;
    const found = new Map<string, string>();
    const models = this.#all();
    const obstacles = await Promise.all(models.map((model) => engine.obstacle(model)));
    for (const [at, model] of models.entries()) {
      const obstacle = obstacles[at] ?? ofAll();
      if (obstacle === undefined) continue;
      found.set(model.model, obstacle);
      if (this.#obstacles.get(model.model) !== obstacle)
        log.warn({ model: model.model, reason: obstacle }, 'a model of MODELS_FILE cannot run on this host');
    }
    this.#obstacles = found;
  }

  /** The offered models, and the names of those that this host cannot run. */
  get capabilities(): Pick<PhoneCapabilities, 'models' | 'withheld'> {
    const models = this.#all()
      .filter(({ model }) => !this.#obstacles.has(model))
      .map(({ model, name, android, screen, memoryMb }) => ({ model, name, android, screen, memoryMb }));
    return { models, withheld: [...this.#obstacles.keys()] };
  }

  /** A line for the operator for each model that this host cannot run. */
  get problems(): string[] {
    return [...this.#obstacles].map(([model, obstacle]) => `model "${model}" is not offered: ${obstacle}`);
  }

  /** Stops following the file. */
  close(): void {
    this.#options.file.close();
  }

  #all(): ImageBasedModel[] {
    return this.#options.file.value.filter(({ driver }) => driver === this.#options.engine.kind);
  }
}
