import { connect, type ServiceLocation } from './connect-service.ts'

interface Metric {
  name: string
  help: string
  type: string
  samples: { name: string; labels: Record<string, string>; value: number }[]
}

/** `shellphone metrics`: prints the service's counters in Prometheus format, or as a list with --json. Rejects with ClientError. */
export async function metrics(place: ServiceLocation, options: ReadonlyMap<string, string>): Promise<void> {
  const text = await connect(place).text('/metrics')
  console.log(options.has('json') ? JSON.stringify({ metrics: metricsIn(text) }) : text.trimEnd())
}

/** Parses the text format of Prometheus, in which each metric has a help text, a type and samples. */
function metricsIn(text: string): Metric[] {
  const metrics: Metric[] = []
  for (const line of text.split('\n')) {
    const [, word, name, rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (word === 'HELP') metrics.push({ name: name!, help: rest, type: '', samples: [] })
    else if (word === 'TYPE') metrics.at(-1)!.type = rest
    else if (line !== '') metrics.at(-1)!.samples.push(sampleIn(line))
  }
  return metrics
}

/** Parses `NAME{LABEL="VALUE",…} NUMBER`. */
function sampleIn(line: string): Metric['samples'][number] {
  const [, name = '', labels = '', value] = /^([^{\s]+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [
    label,
    JSON.parse(`"${text}"`),
  ])
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}
