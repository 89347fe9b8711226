// The contract's schemas without their tolerance, for what our own service sends.
import * as z from 'zod';

/**
 * The schema without its tolerance: unknown fields fail, and optional fields are required unless named in `mayLack`.
 */
export function strict(schema: z.ZodType, mayLack: readonly string[] = []): z.ZodType {
  const deep = (inner: unknown) => strict(inner as z.ZodType, mayLack);
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
      const required = field instanceof z.ZodOptional ? deep(field.def.innerType) : deep(field);
      return [
        name,
        field instanceof z.ZodOptional && mayLack.includes(name) ? required.optional() : required,
      ] as const;
    });
    return z.strictObject(Object.fromEntries(shape));
  }
  if (schema instanceof z.ZodArray) return z.array(deep(schema.def.element));
  if (schema instanceof z.ZodNullable) return deep(schema.def.innerType).nullable();
  if (schema instanceof z.ZodUnion)
    return z.union(schema.def.options.map(deep) as [z.ZodType, ...z.ZodType[]]);
  return schema;
}
