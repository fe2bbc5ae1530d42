/** Ports in a phone's pod: on loopback the HTTP proxy that its Android uses, and the gate for connections of the service. */
export const PROXY_PORT = 18_128;
export const GATE_PORT = 18_129;
