const USUAL_SOCKET = '/var/run/docker.sock';

/**
 * Returns the path of the engine's socket by the rules of DOCKER_HOST; undefined for an engine that may be elsewhere. The engine must be on
 * this host, as folders of phones are mounted into containers.
 */
export function engineSocket(dockerHost: string | undefined): string | undefined {
  return dockerHost === undefined ? USUAL_SOCKET : /^unix:\/\/(\/.+)$/.exec(dockerHost)?.[1];
}
