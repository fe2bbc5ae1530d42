import { socketPathIn } from '../../kit/socket-path.js';

/** The socket of the simulator that keeps its phones in `directory`. */
export function simulatorSocketPath(directory: string): string {
  return socketPathIn(directory, 'simulator.sock');
}
