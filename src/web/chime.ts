/** Plays two tones. */
export function chime(): void {
  const audio = new AudioContext()
  for (const [index, pitch] of [660, 880].entries()) {
    const tone = new OscillatorNode(audio, { frequency: pitch })
    const volume = new GainNode(audio, { gain: 0.08 })
    tone.connect(volume).connect(audio.destination)
    tone.start(audio.currentTime + index * 0.15)
    tone.stop(audio.currentTime + index * 0.15 + 0.12)
  }
  setTimeout(() => void audio.close(), 1000)
}
