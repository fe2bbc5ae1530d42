import { WebSocket } from 'ws';

/** Watches a phone until its picture changes after a tap on `x`, `y`; returns how long that took, ms. `url` is the base URL, with /v1. */
export function tapAndWatch(url: string, key: string, device: string, x: number, y: number): Promise<number> {
  const address = `${url.replace('http', 'ws')}/devices/${device}/live?max_size=640&quality=60&fps=15`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } });
  let tappedMs: number | undefined;
  return new Promise<number>((resolve, reject) => {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) {
        const message = JSON.parse(data.toString()) as { type: string; message?: string };
        if (message.type === 'error') reject(new Error(message.message));
        return;
      }
      const number = data.readUInt32BE(0);
      const capturedMs = data.readUInt32BE(4);
      const jpeg = data.subarray(8);
      console.log(`frame ${number}, ${capturedMs} ms after the hello, ${jpeg.length} bytes`);
      if (tappedMs !== undefined) {
        resolve(performance.now() - tappedMs);
        return;
      }
      tappedMs = performance.now();
      const events = ['down', 'up'].map((phase) => ({ touch: { phase, x, y } }));
      socket.send(JSON.stringify({ events }));
    });
    socket.on('error', reject);
    socket.on('close', (code, reason) => reject(new Error(`closed: ${code} ${reason.toString()}`)));
  }).finally(() => socket.close());
}
