import type { KubernetesModel, MadeModel } from '../made/made-model.js';

export function kubernetesModel(model: MadeModel): KubernetesModel {
  if (model.driver === 'kubernetes') return model;
  throw new Error(`the model "${model.model}" is not one of Kubernetes`);
}
