"""What the passes of MLIR and StableHLO do, as the bindings do not tell it.

The words are those of `torch-mlir-opt --help` of the same wheel where it has the pass, a test
compares them; and for the others a sentence of our own.
"""

__all__ = ["OPTIONS", "SUMMARIES"]

SUMMARIES = {
    "canonicalize": "Canonicalize operations",
    "chlo-legalize-to-stablehlo": "Turn ops of CHLO into ops of StableHLO",
    "composite-fixed-point-pass": "Repeat a pipeline until it changes nothing",
    "control-flow-sink": "Move ops into the branches that alone use them",
    "cse": "Eliminate common sub-expressions",
    "generate-runtime-verification": "Add checks that run with the program",
    "inline": "Inline function calls",
    "loop-invariant-code-motion": "Hoist loop invariant instructions outside of the loop",
    "loop-invariant-subset-hoisting": "Hoist invariant subset ops out of loops",
    "mem2reg": "Turn memory slots into values",
    "print-ir": "Print the IR to stderr",
    "print-op-stats": "Print statistics of operations",
    "remove-dead-values": "Remove values, arguments and results that nothing needs",
    "sccp": "Propagate constants through control flow (sparse conditional)",
    "shape-legalize-to-stablehlo": "Legalize shape-related ops to StableHLO.",
    "sroa": "Replace aggregates in memory by their elements",
    "stablehlo-aggressive-folder": "Compute ops of StableHLO on constants",
    "stablehlo-aggressive-simplification": "Canonicalizes StableHLO operations",
    "stablehlo-canonicalize-dynamism": "Turn dynamic ops with constant shapes into static ops",
    "stablehlo-check-shape-assertions": "Check custom calls that assert shapes, and remove them",
    "stablehlo-compatibility-expander": "Write ops that an older target lacks with others",
    "stablehlo-complex-math-expander": "Write complex functions with real ones",
    "stablehlo-convert-to-signless": "Pass to transform the IR to be on signless integers.",
    "stablehlo-legalize-composite-to-call": "Replace composites by calls of their decompositions",
    "stablehlo-legalize-deprecated-ops": "Legalize deprecated ops to well-supported ops.",
    "stablehlo-legalize-qdq-to-quantized-op": "Fuse dequantize, op, quantize into a quantized op",
    "stablehlo-legalize-quant-to-math": "Write quantized ops with integer arithmetic",
    "stablehlo-legalize-quantized-op-to-qdq": "Split quantized ops into dequantize, op, quantize",
    "stablehlo-legalize-to-linalg": "Legalize StableHLO to LinAlg",
    "stablehlo-legalize-to-vhlo": "Turn StableHLO into its versioned form, VHLO",
    "stablehlo-refine-arguments": "Give the arguments of main more precise types",
    "stablehlo-refine-shapes": "Refines shapes across a StableHLO program.",
    "stablehlo-target-independent-optimization": "Simplify and fold StableHLO for any target",
    "stablehlo-wrap-in-composite": "Wrap ops of StableHLO in composites",
    "strip-debuginfo": "Strip debug info from all operations",
    "symbol-dce": "Eliminate dead symbols",
    "symbol-privatize": "Make symbols private",
    "topological-sort": "Order ops after those that they use",
    "vhlo-legalize-to-stablehlo": "Turn VHLO into StableHLO of today",
    "vhlo-to-version": "Turn VHLO into that of another version",
    "view-op-graph": "Print Graphviz visualization of an operation",
}

OPTIONS = {
    ("canonicalize", "cse-between-iterations"): "Run full CSE between iterations",
    ("canonicalize", "max-iterations"): (
        "Max. iterations between applying patterns / simplifying regions"
    ),
    ("canonicalize", "max-num-rewrites"): "Max. number of pattern rewrites within an iteration",
    ("canonicalize", "region-simplify"): "disabled, normal or aggressive (merges blocks)",
    ("canonicalize", "test-convergence"): "Test only: Fail pass on non-convergence",
    ("canonicalize", "top-down"): "Seed the worklist in general top-down order",
    ("inline", "default-pipeline"): "The optimizer pipeline of callables that have no other",
    ("inline", "inlining-threshold"): "Largest size of a callee, in percent of its caller",
    ("inline", "max-iterations"): "Maximum number of iterations when inlining within an SCC",
    ("print-op-stats", "json"): "print the stats as JSON",
    ("view-op-graph", "max-label-len"): "Limit attribute/type length to number of chars",
    ("view-op-graph", "print-attrs"): "Print attributes of operations",
    ("view-op-graph", "print-control-flow-edges"): "Print control flow edges",
    ("view-op-graph", "print-data-flow-edges"): "Print data flow edges",
    ("view-op-graph", "print-result-types"): "Print result types of operations",
}
