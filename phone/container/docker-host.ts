const USUAL_SOCKET = '/var/run/docker.sock';

/**
 * Returns the path of the engine's socket by the rules of DOCKER_HOST; undefined for an engine that may be elsewhere: folders of phones are
 * mounted into containers, so it must be on this host.
 */
export function engineSocket(dockerHost: string | undefined): string | undefined {
  return dockerHost === undefined ? USUAL_SOCKET : /^unix:\/\/(\/.+)$/.exec(dockerHost)?.[1];
}
