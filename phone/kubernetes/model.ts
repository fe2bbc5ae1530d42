import type { KubernetesModel, ImageBasedModel } from '../image-based/model.js';

export function kubernetesModel(model: ImageBasedModel): KubernetesModel {
  if (model.driver === 'kubernetes') return model;
  throw new Error(`the model "${model.model}" is not one of Kubernetes`);
}
