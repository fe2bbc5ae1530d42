import { Connection } from 'mongodb/lib/cmap/connection.js';

// Imported for its effect, wherever the driver is used. The driver (7.8) lets an operation that writes to a connection while that closes wait
// until its socket drains, which a closed one never does, and none of its time limits ends that: an operation that begins in the moment
// in which a connection is lost waits for ever. Once the wait is ended, the driver finds the connection closed, and tries another one.
const { prototype } = Connection;
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its connection
const { cleanup } = prototype;
prototype.cleanup = function (error) {
  cleanup.call(this, error);
  this.socket.emit('drain');
};
