import { Connection } from 'mongodb/lib/cmap/connection.js';

// Import this file for its effect, wherever the driver is used. In the driver (7.8), an operation that writes to a closing connection waits
// until the socket drains. A closed socket never drains, and none of the driver's time limits ends that wait. So an operation that begins
// just when a connection is lost waits for ever. Here the end of the connection ends that wait, too. The driver then finds the connection
// closed, and tries another connection.
const { prototype } = Connection;
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its connection
const { cleanup } = prototype;
prototype.cleanup = function (error) {
  cleanup.call(this, error);
  this.socket.emit('drain');
};
