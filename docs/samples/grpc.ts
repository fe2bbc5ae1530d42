import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

type ListDevices = (
  request: object,
  metadata: grpc.Metadata,
  done: (error: Error | null, response: { devices: { name: string }[] }) => void,
) => void;

/** Names of the devices that a key may see, by gRPC. `address` is host:port of the device service's gRPC port. */
export async function deviceNames(address: string, key: string): Promise<string[]> {
  const definition = loadSync('cloudphone/device/v1/device_service.proto', {
    includeDirs: ['proto', 'proto/deps'],
    keepCase: true,
    enums: String,
    defaults: true,
  });
  const loaded = grpc.loadPackageDefinition(definition) as unknown as {
    cloudphone: {
      device: { v1: { DeviceService: new (...of: unknown[]) => grpc.Client & { ListDevices: ListDevices } } };
    };
  };
  const client = new loaded.cloudphone.device.v1.DeviceService(address, grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  try {
    return await new Promise((resolve, reject) => {
      client.ListDevices({ limit: 200 }, metadata, (error, response) => {
        if (error === null) resolve(response.devices.map(({ name }) => name));
        else reject(error);
      });
    });
  } finally {
    client.close();
  }
}
