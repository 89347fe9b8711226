// The types that this package lacks.
declare module 'parse-prometheus-text-format' {
  export type Family = {
    name: string;
    help: string;
    type: string;
    metrics: {
      value?: string;
      labels?: Record<string, string>;
      buckets?: Record<string, string>;
      count?: string;
      sum?: string;
    }[];
  };
  export default function parsePrometheus(text: string): Family[];
}
