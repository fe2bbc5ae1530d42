/** The form of the pictures that go into an encoder, and of the video that comes out. */
export interface VideoForm {
  /** Of the RGBA pictures. */
  source: { width: number; height: number };
  /** Of the video. */
  width: number;
  height: number;
  fps: number;
  /** At the most, bits a second. */
  bitRate: number;
}

/** An encoded picture, as access unit in the form of Annex B. */
export interface EncodedPicture {
  data: Buffer;
  isKey: boolean;
  /** The parameter sets, with the first picture of an encoder. */
  configuration: Buffer | undefined;
}

/** Encodes pictures of one size to H.264. The first one becomes a key frame. */
export interface VideoEncoder {
  /** Encodes one picture; they are encoded one after the other. Throws when the encoder does not work any more. */
  encode(rgba: Uint8Array): Promise<EncodedPicture>;
  close(): void;
}

/** Makes the encoders of all phones of a process. */
export interface VideoEncoders {
  /** Opens an encoder that is closed with the signal. Undefined: there are as many already as there may be. */
  open(form: VideoForm, signal: AbortSignal): VideoEncoder | undefined;
}
