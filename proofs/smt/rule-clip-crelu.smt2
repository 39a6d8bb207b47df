; Rule clip for a clipped neuron: p = 1 and no unit where the argument is at least 1, p = 0 and no unit where it is at
; most 0, one unit otherwise.
(set-logic QF_LRA)
(define-fun sigma ((t Real)) Real (ite (<= t 0.0) 0.0 (ite (>= t 1.0) 1.0 t)))
(define-fun rho ((t Real)) Real (ite (<= t 0.0) 0.0 t))
(define-fun oplus ((a Real) (b Real)) Real (ite (<= (+ a b) 1.0) (+ a b) 1.0))
(define-fun odot ((a Real) (b Real)) Real (ite (>= (+ a b) 1.0) (- (+ a b) 1.0) 0.0))
(define-fun neg ((a Real)) Real (- 1.0 a))
(define-fun unit ((a Real)) Bool (and (<= 0.0 a) (<= a 1.0)))
(declare-const t Real) (declare-const p Real) (declare-const m Real)
(assert (or (and (= p 0.0) (= m 1.0)) (and (= p 1.0) (= m 0.0) (>= t 1.0)) (and (= p 0.0) (= m 0.0) (<= t 0.0))))
(assert (not (= (sigma t) (+ p (ite (= m 1.0) (sigma t) 0.0)))))
(check-sat)
