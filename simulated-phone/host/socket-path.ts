import { socketPathIn } from '../../kit/files/socket-path.js';

/** Returns the path of the socket of the simulator that keeps its phones in `directory`. */
export function simulatorSocketPath(directory: string): string {
  return socketPathIn(directory, 'simulator.sock');
}
