// What is used of packages that only a program with their framework has.
declare module "@langchain/core/messages" {
  export const ToolMessage: new (fields: { content: string; name: string; tool_call_id: string; status: "error" }) => object;
}
